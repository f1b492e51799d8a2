// Writes the moves of tasks between statuses, with their positions. Two moves are left out, because they follow from
// the row of the task: its end, and the move to `working` of a task that starts in the append of its creation.
import type { Lifecycle } from '../../src/contract/task-chart.ts'
import { isTerminal } from '../../src/contract/wire.ts'
import type { ShownTask } from '../../src/history/task-view.ts'
import type { ReadStore } from '../store.ts'

/** The number of events in a first append that also starts the task: TaskCreated, AgentSpawned, TaskStarted. */
const firstEvents = 3

export const createMoveWriter = (store: ReadStore) => {
  const put = store.prepare('INSERT OR REPLACE INTO task_moves (task, position, status) VALUES (?, ?, ?)')
  let due: [task: number, position: number, status: string][] = []
  return {
    /** Called after each event of a task. `task`: the key of the task's row. */
    follow(task: number, before: Lifecycle, { status, position }: ShownTask): void {
      if (status === before || status === 'absent' || status === 'created' || isTerminal(status)) return
      if (status === 'working' && position < task + firstEvents) return
      due.push([task, position, status])
    },
    write(): void {
      for (const move of due) put.run(...move)
      due = []
    },
    forget(): void {
      due = []
    },
  }
}
