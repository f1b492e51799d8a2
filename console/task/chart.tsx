// Draws a statechart: that of a task, or that of an agent of a user. The states in which it is are lit, and the last move
// is drawn over the others.
import { useId } from 'preact/hooks'
import type { DrawnState, Edge, Layout } from './chart-layout.ts'

const [nameAt, noteHeight] = [13, 13]
/** A small chart is not drawn larger than this. */
const unitsPerRem = 13.2

const State = ({ state, isLit }: { state: DrawnState; isLit: boolean }) => {
  const { name, box, looks, notes } = state
  const x = box.x + box.width / 2
  const isOuter = looks.includes('outer')
  return (
    <g class={['state', ...looks, ...(isLit ? ['lit'] : [])].join(' ')}>
      <rect {...box} rx={looks.includes('inner') ? 5 : 7} />
      {looks.includes('final') && (
        <rect
          class="end"
          x={box.x + 2.5}
          y={box.y + 2.5}
          width={box.width - 5}
          height={box.height - 5}
          rx={5}
        />
      )}
      <text x={x} y={isOuter || notes.length > 0 ? box.y + nameAt : box.y + box.height / 2}>
        {name}
      </text>
      {notes.map((note, n) => (
        <text key={`${n}`} class="note" x={x} y={box.y + nameAt + 4 + (n + 0.75) * noteHeight}>
          {note}
        </text>
      ))}
    </g>
  )
}

/**
 * `lit`: the paths of the states in which the chart is. `isLast`: whether a move was the last one, which `move` numbers. `words`:
 * what the drawing shows.
 */
type Props = {
  layout: Layout
  lit: ReadonlySet<string>
  isLast: (edge: Edge) => boolean
  move: number | undefined
  words: string
}

export const Chart = ({ layout, lit, isLast, move, words }: Props) => {
  const { width, height, states, edges, starts } = layout
  const id = useId()
  const isOuter = ({ looks }: DrawnState) => looks.includes('outer')
  const draw = (state: DrawnState) => <State key={state.path} state={state} isLit={lit.has(state.path)} />
  return (
    <svg
      class="chart"
      viewBox={`0 0 ${width} ${height}`}
      style={{ maxWidth: `${width / unitsPerRem}rem` }}
      role="img"
      aria-label={words}
    >
      <defs>
        <marker
          id={`${id}-arrow`}
          viewBox="0 0 8 8"
          refX="7"
          refY="4"
          markerWidth="5"
          markerHeight="5"
          orient="auto"
        >
          <path d="M0 0L8 4L0 8z" />
        </marker>
        <marker
          id={`${id}-tip`}
          viewBox="0 0 8 8"
          refX="7"
          refY="4"
          markerWidth="6"
          markerHeight="6"
          orient="auto"
        >
          <path class="quiet" d="M0 0L8 4L0 8z" />
        </marker>
      </defs>
      {states.filter(isOuter).map(draw)}
      {edges.map(({ from, to, path, labels }) => (
        <path
          key={`${from} ${to}`}
          class="edge"
          d={path}
          {...(labels.length > 0 && { 'marker-end': `url(#${id}-tip)` })}
        />
      ))}
      {starts.map(({ x, y }) => (
        <g key={`${x} ${y}`} class="start">
          <circle cx={x} cy={y - 11} r={3} />
          <path class="edge" d={`M${x} ${y - 8} V${y}`} marker-end={`url(#${id}-tip)`} />
        </g>
      ))}
      {states.filter(state => !isOuter(state)).map(draw)}
      {edges.filter(isLast).map(({ from, to, path }) => (
        <path key={`${move} ${from} ${to}`} class="edge last" d={path} marker-end={`url(#${id}-arrow)`} />
      ))}
      {edges.flatMap(edge =>
        edge.labels.map(({ x, y, text, anchor }) => (
          <text
            key={`${edge.from} ${edge.to} ${text}`}
            class={`label at-${anchor}${isLast(edge) ? ' last' : ''}`}
            x={x}
            y={y}
          >
            {text}
          </text>
        )),
      )}
    </svg>
  )
}
