// Writes the completed agent steps of tasks. The steps that a fork has copied are left out.
import type { RecordedTaskEvent } from '../../src/contract/decoders/task.ts'
import type { ReadStore } from '../store.ts'

export const createStepWriter = (store: ReadStore) => {
  const put = store.prepare('INSERT INTO steps (position, task) VALUES (?, ?)')
  let due: [position: number, task: number][] = []
  return {
    /** `task`: the key of the task's row. */
    follow(task: number, { type, header, position }: RecordedTaskEvent): void {
      if (type === 'AgentStepCompleted' && header.copy_of === undefined) due.push([position, task])
    },
    write(): void {
      for (const step of due) put.run(...step)
      due = []
    },
    forget(): void {
      due = []
    },
  }
}
