// How a task sends commands to itself.
import type { TaskCommand } from '../../src/contract/commands/commands.ts'
import { taskStream } from '../../src/contract/task-stream.ts'
import type { DecidedTask } from '../../src/history/task-view.ts'

export type Self = {
  view: DecidedTask
  /** Sends a command to the task's own mailbox; never rejects. */
  tell: (command: TaskCommand) => Promise<void>
  /** Sends a command to the task's own mailbox; rejects when its turn fails. */
  ask: (command: TaskCommand) => Promise<DecidedTask>
  /** Whether a command of the task is being decided or stored, or waits for its turn. */
  isAtWork: () => boolean
}

/** The principal and cause of a command that a task sends to itself. The cause is the task's newest event. */
export const bySystem = ({ created, revision }: DecidedTask) => ({
  principal: 'system',
  causation: `${taskStream(created?.task_id ?? '')}@${revision}`,
})

type OwnCommand = { type: 'AbandonStep' } | { type: 'ConsumeInputs' } | { type: 'PauseNow'; reason: string }

/** Sends a command that has no effect if the task has changed meanwhile. */
export const sendToSelf = ({ view, tell }: Self, command: OwnCommand): void =>
  void tell({ revision: view.revision, ...bySystem(view), ...command })
