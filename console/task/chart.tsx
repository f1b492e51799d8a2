// The statechart of a task, with the state at the position lit and the last move up to the position drawn.
import { statusAfter } from '../../src/contract/task-state.ts'
import type { ShownTask } from '../../src/history/task-view.ts'
import { type Box, boxes, edges, innerBoxes, size } from './chart-layout.ts'
import type { Event } from './past.ts'

/** The type of a move, and the statuses from which and to which it leads. */
const endsOf = (event: Event | undefined) => {
  if (event === undefined) return undefined
  const from = 'from' in event.data ? event.data.from : 'absent'
  return { type: event.type, from, to: statusAfter(from, event.type) }
}

const State = ({
  box,
  name,
  isLit,
  isInner,
}: {
  box: Box
  name: string
  isLit: boolean
  isInner?: boolean
}) => {
  const isOuter = name === 'working'
  return (
    <g class={`state${isLit ? ` lit is-${name}` : ''}${isInner ? ' inner' : ''}`}>
      <rect {...box} rx={isInner ? 5 : 7} />
      <text x={box.x + box.width / 2} y={isOuter ? box.y + 18 : box.y + box.height / 2}>
        {name}
      </text>
    </g>
  )
}

export const Chart = ({ task, lastMove }: { task: ShownTask; lastMove: Event | undefined }) => {
  const move = endsOf(lastMove)
  const at = task.state.at.split('.').slice(0, 2).join('.')
  const isLast = ({ from, to }: { from: string; to: string }) => from === move?.from && to === move.to
  const words = `The task is ${task.state.at.replaceAll('.', ', ')}${move === undefined ? '' : `; its last move was ${move.type}, from ${move.from}`}`
  return (
    <svg class="chart" viewBox={`0 0 ${size.width} ${size.height}`} role="img" aria-label={words}>
      <defs>
        <marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="5" markerHeight="5" orient="auto">
          <path d="M0 0L8 4L0 8z" />
        </marker>
      </defs>
      {edges.map(edge => (
        <path key={`${edge.from} ${edge.to}`} class="edge" d={edge.path} />
      ))}
      {Object.entries(boxes).map(([name, box]) => (
        <State key={name} name={name} box={box} isLit={task.status === name} />
      ))}
      {Object.entries(innerBoxes).map(([path, box]) => (
        <State key={path} name={path.split('.')[1] ?? ''} box={box} isLit={at === path} isInner />
      ))}
      {edges.filter(isLast).map(edge => (
        <path
          key={`${lastMove?.position} ${edge.from}`}
          class="edge last"
          d={edge.path}
          marker-end="url(#arrow)"
        />
      ))}
    </svg>
  )
}
