// The files of AGENT_PATH. Each of them is an agent, which has the name of the file.
import { hash } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { agentName } from '../contract/agent-protocol.ts'

const suffixes = ['.mjs', '.js', '.ts', '.py']

/** A file that is an agent. `seen`: a text that differs after the file was written. */
export type AgentFile = { name: string; file: string; seen: string }
/** Files whose names are wrong, with what to do. */
export type FolderProblem = { file: string; problem: string }

/** Whether a file of this name is an agent. */
export const isAgentFile = (entry: string): boolean =>
  suffixes.includes(path.extname(entry)) && !/^[._]|\.d\.ts$/.test(entry)

/** What an agent may be called. */
export const ruleOfNames =
  'an agent has a name of up to 64 lower-case letters, digits, _ and -, which begins with a letter'

/** What is wrong with the name of a file, without its ending, and what to do. `taken`: the names of built-in agents. */
export const problemOfName = (name: string, taken: ReadonlySet<string>): string | undefined => {
  if (!agentName.test(name))
    return `has the name ${JSON.stringify(name)}: ${ruleOfNames}. Rename the file, or let its name begin with _ if it is no agent`
  return taken.has(name) ? `has the name of the built-in agent ${name}: rename the file` : undefined
}

/** The agents at the top level of a folder, and what is wrong with it. `taken`: the names of built-in agents. */
export const readAgentFolder = (
  folder: string,
  taken: ReadonlySet<string>,
): { agents: AgentFile[]; problems: FolderProblem[] } => {
  const agents = new Map<string, AgentFile>()
  const problems: FolderProblem[] = []
  for (const entry of readdirSync(folder).filter(isAgentFile).sort()) {
    const file = path.join(folder, entry)
    const stats = statSync(file, { throwIfNoEntry: false })
    if (stats?.isFile() !== true) continue
    const name = path.parse(entry).name
    const other = agents.get(name)
    const problem =
      problemOfName(name, taken) ??
      (other && `and ${path.basename(other.file)} are both the agent ${name}: rename one of them`)
    if (problem !== undefined) problems.push({ file: entry, problem })
    else agents.set(name, { name, file, seen: `${stats.mtimeMs} ${stats.size} ${stats.ino}` })
  }
  return { agents: [...agents.values()], problems }
}

/** The version of an agent that says none: a digest of its file. */
export const versionOfFile = (file: string): string =>
  hash('sha256', readFileSync(file), 'base64url').slice(0, 16)
