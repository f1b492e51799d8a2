// For a caller of a subagent: how its task ends, and its end when the caller is canceled.
import type { TaskCommand } from '../../contract/commands.ts'
import { Refusal } from '../../contract/refusals.ts'
import type { TaskView } from '../../history/task-view.ts'
import { type CommandDeps, hasEnded } from './deps.ts'

export const childCommands = ({ runtime }: Pick<CommandDeps, 'runtime'>) => ({
  ended: (stream: string): Promise<TaskView> => runtime.until(stream, hasEnded),
  async cancel(stream: string, causation: string): Promise<void> {
    const command: TaskCommand = {
      type: 'CancelTask',
      reason: 'caller_ended',
      principal: 'system',
      causation,
    }
    await runtime.ask(stream, command).catch(error => {
      if (!(error instanceof Refusal)) throw error // it had ended already
    })
  },
})
