// The command service of tasks. Each command names a stream, asks its actor, and resolves when the log and the read
// models hold the result.
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
  ...scheduledCommands(deps),
})
export type Commands = ReturnType<typeof createCommands>
