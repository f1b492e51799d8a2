// A map of the grid world and its text: # wall, . floor, @ start, G goal, a–f keys, A–F the doors that they open.

export const directions = { north: [0, -1], east: [1, 0], south: [0, 1], west: [-1, 0] } as const
export type Direction = keyof typeof directions

export type Spot = { x: number; y: number }
/** `cells[y][x]` is the letter of the cell; the start is floor. */
export type GridMap = { cells: string[][]; start: Spot }

export const isKey = (cell: string): boolean => /^[a-f]$/.test(cell)
export const isDoor = (cell: string): boolean => /^[A-F]$/.test(cell)
/** Everything outside of the map is wall. */
export const cellAt = ({ cells }: GridMap, { x, y }: Spot): string => cells[y]?.[x] ?? '#'
export const setCell = ({ cells }: GridMap, { x, y }: Spot, cell: string): void => {
  const row = cells[y]
  if (row?.[x] !== undefined) row[x] = cell
}
export const next = ({ x, y }: Spot, direction: Direction): Spot => {
  const [right, down] = directions[direction]
  return { x: x + right, y: y + down }
}

const names: Record<string, string> = { '#': 'wall', '.': 'floor', '@': 'agent', G: 'goal' }
export const nameOf = (cell: string): string => names[cell] ?? (isKey(cell) ? `key ${cell}` : `door ${cell}`)

/** The rows of cells, with the agent in them. */
export const withAgent = ({ cells }: GridMap, agent: Spot): string[][] =>
  cells.map((row, y) => row.map((cell, x) => (x === agent.x && y === agent.y ? '@' : cell)))
export const gridText = (rows: string[][]): string => rows.map(row => row.join('')).join('\n')

/** A map has at most this many rows, and at most this many columns. */
const largest = 50

/** Parses a map. Throws if the text is no map. Does not check whether the goal can be reached. */
export const parseMap = (text: string): GridMap => {
  const cells = text.split(/\r?\n/).map(row => [...row])
  while (cells.at(-1)?.length === 0) cells.pop()
  const width = cells[0]?.length ?? 0
  if (cells.some(row => row.length !== width)) throw new Error('map must have rows of the same length')
  if (width > largest || cells.length > largest) {
    throw new Error(`map must have at most ${largest} rows and columns`)
  }
  const strange = cells.flat().find(cell => !/^[#.@Ga-fA-F]$/.test(cell))
  if (strange !== undefined) throw new Error(`map must hold # . @ G a-f A-F alone, and holds ${strange}`)
  const starts = cells.flatMap((row, y) => row.flatMap((cell, x) => (cell === '@' ? [{ x, y }] : [])))
  const [start] = starts
  if (start === undefined || starts.length > 1) throw new Error('map must have one start, @')
  const map = { cells, start }
  setCell(map, start, '.')
  return map
}
