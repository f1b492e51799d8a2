// The file of an agent, as a command line names it.
import { statSync } from 'node:fs'
import path from 'node:path'
import { isAgentFile, problemOfName } from '../../agent-hosts/folder.ts'
import { builtinNames } from '../../agents/names.ts'
import { CannotStart } from '../../contract/cannot-start.ts'
import { called } from '../terminal/called.ts'

/** The absolute path, and the name of the agent. Throws CannotStart when the server would not take it for an agent. */
export const agentFileOf = (given: string): { file: string; name: string } => {
  const file = path.resolve(given)
  const base = path.basename(file)
  if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true)
    throw new CannotStart(`${given} is no file: ${called} agent new makes one`)
  if (!isAgentFile(base))
    throw new CannotStart(
      `${given} is no file of an agent: its name ends with .mjs, .js, .ts or .py, and does not begin with _ or .`,
    )
  const { name } = path.parse(file)
  const problem = problemOfName(name, builtinNames)
  if (problem !== undefined) throw new CannotStart(`the file ${base} ${problem}`)
  return { file, name }
}
