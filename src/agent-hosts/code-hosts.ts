// Agents that are code of users: the files of AGENT_PATH and the workers, behind the port that tasks use.
import type { CodeAgent, CodeAgents } from '../contract/code-agent.ts'
import type { AgentInfo } from '../contract/wire.ts'
import type { FileDeps } from './hosted-file.ts'
import { type HostedFiles, hostFiles } from './hosted-files.ts'
import { openListed } from './listed.ts'
import { createRoster } from './roster.ts'
import { createWorkers } from './workers.ts'

export type AgentHostSettings = {
  /** The folder whose files are agents; undefined: there is none. */
  path: string | undefined
  /** The processes of one host together may have at most this many MiB of resident memory. */
  memoryMb: number
  /** Milliseconds after which a host that does not answer is ended. */
  stallMs: number
}

type Deps = Omit<FileDeps, 'inTurn' | 'roster' | 'memoryMb' | 'stallMs'> & {
  /** The names of built-in agents. */
  builtin: ReadonlySet<string>
  /** The file that keeps the list of agents of workers; undefined: nothing is kept. */
  listFile: string | undefined
}

const infosOf = (files: HostedFiles): AgentInfo[] =>
  files.all().map(file => {
    const agent = file.agent()
    const error = file.error()
    return {
      ...{ name: file.name, description: agent?.description ?? '', kind: agent?.kind ?? 'function' },
      source: file.source,
      ...(agent?.parameters === undefined ? {} : { parameters: agent.parameters as Record<string, unknown> }),
      ...(agent?.task_support === undefined ? {} : { task_support: agent.task_support }),
      version: agent?.version ?? file.version(),
      ...(error === undefined ? {} : { error }),
    }
  })

export const openCodeHosts = (
  { builtin, listFile, ...deps }: Deps,
  { path, memoryMb, stallMs }: AgentHostSettings,
) => {
  const listed = openListed({ clock: deps.clock, report: deps.report, file: listFile })
  const roster = createRoster({
    // A file of this name takes over when the worker has left, which may not come again under the name.
    isOwn: (agent, user) => files.get(agent) === undefined && listed.get(agent, user) !== undefined,
    wanted: agent => files.get(agent)?.wanted(),
    fault: error =>
      deps.report('error', 'a lease could not begin because of a defect of the server', {
        error: error instanceof Error ? (error.stack ?? error.message) : String(error),
      }),
  })
  const files: HostedFiles = hostFiles(path, builtin, { ...deps, roster, memoryMb, stallMs })
  const workers = createWorkers({
    ...{ clock: deps.clock, timers: deps.timers, roster, listed },
    refusalOf: name =>
      builtin.has(name)
        ? 'the name belongs to a built-in agent'
        : files.get(name) && `the name belongs to the agent of the file ${files.get(name)?.source}`,
  })

  const find = (name: string, user: string): CodeAgent | undefined => {
    const served = roster.find(name, user)
    if (served !== undefined) return served
    const file = files.get(name)
    if (file !== undefined)
      return { kind: 'function', ...file.agent(), name, version: file.version(), source: file.source }
    const listed = workers.find(name, user)
    if (listed === undefined) return undefined
    const { user: of, served: agent } = listed
    return { ...agent, ...(of === undefined ? {} : { isOwn: true }), source: 'worker' }
  }

  /** The agents that a user may see. Undefined: all. Of a file and a worker of one name, the one that gets new tasks. */
  const list = (user: string | undefined): AgentInfo[] => {
    const ofWorkers = workers.agents(user).filter(({ name, workers: connected, user_id: of }) => {
      const isHidden = of === undefined || connected === 0
      return files.get(name) === undefined || !isHidden
    })
    const own = new Set(user === undefined ? [] : ofWorkers.map(({ name }) => name))
    return [...infosOf(files).filter(({ name }) => !own.has(name)), ...ofWorkers]
  }

  const agents: CodeAgents = {
    find,
    names: user => list(user).map(({ name }) => name),
    lease: roster.lease,
    onChanged: roster.onChanged,
    isServed: (name, user, isOwn) =>
      roster.find(name, user, isOwn) !== undefined || files.get(name)?.isServed() === true,
  }
  return {
    agents,
    workers,
    list,
    /** Resolves when each file has said what its agent is, or cannot be run. */
    settled: () => Promise.all(files.all().map(({ settled }) => settled)),
    /** Why no new task can begin on an agent that is there; undefined: it can. */
    problemOf(name: string, user: string): string | undefined {
      const file = files.get(name)
      return file === undefined || file.isServed() || roster.find(name, user) !== undefined
        ? undefined
        : file.error()
    },
    /** From now on no lease begins. */
    drain: roster.close,
    /** Ends all hosts and closes the connections to workers. */
    async close(): Promise<void> {
      roster.close()
      await workers.close()
      await files.close()
    },
  }
}
export type CodeHosts = ReturnType<typeof openCodeHosts>
