// The command service of tasks. Each command asks the actor of one stream, and resolves when the log has the result and
// queries show it.
import { approvalCommands } from './commands/approvals.ts'
import { creationCommands } from './commands/create.ts'
import type { CommandDeps } from './commands/deps.ts'
import { forkCommands } from './commands/fork.ts'
import { inputCommands } from './commands/inputs.ts'
import { moveCommands } from './commands/moves.ts'
import { scheduledCommands } from './commands/scheduled.ts'

export { isAtRest } from './commands/create.ts'
export type { Created, CreateRequest } from './commands/create-request.ts'

export const createCommands = (deps: CommandDeps) => ({
  ...creationCommands(deps),
  ...forkCommands(deps),
  ...moveCommands(deps),
  ...inputCommands(deps),
  ...approvalCommands(deps),
  ...scheduledCommands(deps),
})
export type Commands = ReturnType<typeof createCommands>
