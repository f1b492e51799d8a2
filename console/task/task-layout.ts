// Where the states of the chart of a task are drawn. The moves come from the chart itself.
import type { Lifecycle } from '../../src/contract/charts/task-chart.ts'
import { movesFrom, statusAfter } from '../../src/contract/charts/task-state.ts'
import { taskStatuses } from '../../src/contract/wire/task-status.ts'
import { type Box, bottom, type DrawnState, type Edge, type Layout, right } from './chart-layout.ts'

/** The states in which work goes on are on the left, the ends on the right. */
const boxes: Record<Exclude<Lifecycle, 'absent'>, Box> = {
  created: { x: 8, y: 8, width: 84, height: 26 },
  queued: { x: 116, y: 8, width: 84, height: 26 },
  working: { x: 8, y: 70, width: 192, height: 150 },
  'input-required': { x: 8, y: 276, width: 112, height: 26 },
  paused: { x: 132, y: 276, width: 68, height: 26 },
  completed: { x: 238, y: 96, width: 86, height: 26 },
  failed: { x: 238, y: 146, width: 86, height: 26 },
  canceled: { x: 238, y: 206, width: 86, height: 26 },
  expired: { x: 238, y: 256, width: 86, height: 26 },
}

/** The states inside `working`, by their paths. */
const innerBoxes: Record<string, Box> = {
  'working.ready': { x: 20, y: 100, width: 76, height: 24 },
  'working.thinking': { x: 112, y: 100, width: 76, height: 24 },
  'working.calling': { x: 20, y: 138, width: 76, height: 24 },
  'working.waiting': { x: 112, y: 138, width: 76, height: 24 },
  'working.pausing': { x: 20, y: 180, width: 76, height: 24 },
  'working.canceling': { x: 112, y: 180, width: 76, height: 24 },
}

/** The middle of the horizontal range that two boxes share; undefined when they share none. */
const sharedX = (a: Box, b: Box): number | undefined => {
  const [from, to] = [Math.max(a.x, b.x), Math.min(right(a), right(b))]
  return from < to ? (from + to) / 2 : undefined
}

const pathOf = (from: Lifecycle, to: Lifecycle): string => {
  if (from === 'absent' || to === 'absent') return ''
  const [a, b] = [boxes[from], boxes[to]]
  const shift = from > to ? 9 : -9 // two moves between the same states do not cover each other
  const x = sharedX(a, b)
  if (x !== undefined) {
    const [y1, y2] = b.y > a.y ? [bottom(a), b.y] : [a.y, bottom(b)]
    return `M${x + shift} ${y1} L${x + shift} ${y2}`
  }
  const [x1, x2] = [right(a), b.x]
  const [y1, y2] = [a.y + a.height / 2, b.y + b.height / 2]
  const reach = Math.max(14, (x2 - x1) / 2)
  return `M${x1} ${y1} C${x1 + reach} ${y1} ${x2 - reach} ${y2} ${x2} ${y2}`
}

/** Every move between two states. */
const edges: readonly Edge[] = taskStatuses.flatMap(from =>
  [...new Set(movesFrom(from).map(type => statusAfter(from, type)))].map(to => ({
    from,
    to,
    path: pathOf(from, to),
    labels: [],
  })),
)

const drawn = (path: string, box: Box, looks: string[]): DrawnState => ({
  path,
  name: path.split('.').at(-1) ?? '',
  box,
  looks,
  notes: [],
})

export const taskLayout: Layout = {
  width: 330,
  height: 318,
  states: [
    ...Object.entries(boxes).map(([path, box]) =>
      drawn(path, box, [`is-${path}`, ...(path === 'working' ? ['outer'] : [])]),
    ),
    ...Object.entries(innerBoxes).map(([path, box]) => drawn(path, box, ['inner'])),
  ],
  edges,
  starts: [],
}
