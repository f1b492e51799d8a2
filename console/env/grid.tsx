// Draws the map of a grid world, and marks what the agent sees of the map.

const most = 60

/** The rows of a map; undefined when the text is no map. */
export const rowsOf = (text: unknown): string[][] | undefined => {
  if (typeof text !== 'string') return undefined
  const rows = text
    .trimEnd()
    .split('\n')
    .map(row => [...row])
  const width = rows[0]?.length ?? 0
  const isMap =
    rows.length > 1 &&
    rows.length <= most &&
    width > 1 &&
    width <= most &&
    rows.every(r => r.length === width)
  return isMap && /^[#.@Ga-fA-F\s?]+$/.test(text) ? rows : undefined
}

const wordOf = (cell: string): string => {
  if (cell === '#') return 'wall'
  if (cell === '@') return 'agent'
  if (cell === 'G') return 'goal'
  if (/[a-f]/.test(cell)) return 'key'
  if (/[A-F]/.test(cell)) return 'door'
  return 'floor'
}
const signs: Record<string, string> = { agent: '☻', goal: '⚑', wall: '', floor: '' }

type Props = { rows: readonly string[][]; agent: unknown; radius: unknown }

export const Grid = ({ rows, agent, radius }: Props) => {
  const { x, y } = (agent ?? {}) as { x?: unknown; y?: unknown }
  const sees = (column: number, row: number) =>
    typeof x === 'number' &&
    typeof y === 'number' &&
    typeof radius === 'number' &&
    Math.abs(column - x) <= radius &&
    Math.abs(row - y) <= radius
  const width = rows[0]?.length ?? 1
  return (
    <div
      class="grid"
      role="img"
      aria-label={`Map: ${rows.map(row => row.join('')).join(', ')}`}
      style={{ gridTemplateColumns: `repeat(${width}, 1fr)`, maxWidth: `${Math.min(34, width * 2.4)}rem` }}
    >
      {rows.flatMap((row, n) =>
        row.map((cell, column) => {
          const word = wordOf(cell)
          return (
            <span
              key={`${column} ${n}`}
              class={`cell is-${word}${sees(column, n) ? ' seen' : ''}`}
              title={word === 'key' || word === 'door' ? `${word} ${cell.toLowerCase()}` : word}
            >
              {signs[word] ?? cell}
            </span>
          )
        }),
      )}
    </div>
  )
}
