// The command service of tasks: each command names a stream, asks its actor, and answers when the log and the read models
// hold what happened.
import { childCommands } from './commands/children.ts'
import { creationCommands } from './commands/create.ts'
import type { CommandDeps } from './commands/deps.ts'
import { inputCommands } from './commands/inputs.ts'
import { moveCommands } from './commands/moves.ts'
import { scheduledCommands } from './commands/scheduled.ts'

export { isAtRest } from './commands/create.ts'
export type { Created, CreateWish } from './commands/wish.ts'

export const createCommands = (deps: CommandDeps) => ({
  ...creationCommands(deps),
  ...moveCommands(deps),
  ...inputCommands(deps),
  ...scheduledCommands(deps),
  children: childCommands(deps),
})
export type Commands = ReturnType<typeof createCommands>
