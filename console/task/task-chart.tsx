// The statechart of a task at the position, with the last move up to it.
import { statusAfter } from '../../src/contract/charts/task-state.ts'
import type { ShownTask } from '../../src/history/task-view.ts'
import { Chart } from './chart.tsx'
import type { Event } from './past.ts'
import { taskLayout } from './task-layout.ts'

/** The type of a move, and the statuses from which and to which it leads. */
const endsOf = (event: Event | undefined) => {
  if (event === undefined) return undefined
  const from = 'from' in event.data ? event.data.from : 'absent'
  return { type: event.type, from, to: statusAfter(from, event.type) }
}

export const TaskChart = ({ task, lastMove }: { task: ShownTask; lastMove: Event | undefined }) => {
  const move = endsOf(lastMove)
  const at = task.state.at.split('.').slice(0, 2).join('.')
  return (
    <Chart
      layout={taskLayout}
      lit={new Set([task.status, at])}
      isLast={({ from, to }) => from === move?.from && to === move.to}
      move={lastMove?.position}
      words={`The task is ${task.state.at.replaceAll('.', ', ')}${move === undefined ? '' : `; its last move was ${move.type}, from ${move.from}`}`}
    />
  )
}
