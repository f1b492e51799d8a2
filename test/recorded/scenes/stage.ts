// Where a recording is played: one data folder, served by one process after another, each of which may be killed.

import { appendFileSync, copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import Database from 'better-sqlite3'
import { tasksOf } from '../../http/agent-tasks.ts'
import { envCalls, modules } from '../../http/env-calls.ts'
import { result } from '../../mcp/servers/raw.mjs'
import { rawProcess } from '../../mcp/servers/raw.ts'
import { read, until } from '../../support/http.ts'
import { type Api, launch, type ServerProcess } from '../../support/server.ts'
import { agentFiles } from './code.ts'

/** A hundred years: what rests in a recording rests for good. */
export const forGood = '3153600000'
export const ttls = (seconds: string) =>
  Object.fromEntries(
    ['CREATED', 'QUEUED', 'WORKING', 'PAUSED', 'INPUT_REQUIRED'].map(name => [`TASK_TTL_${name}`, seconds]),
  )

/** An environment whose observations an agent sees. */
const seen = `import { Counter } from './counter.mjs'
export class Seen extends Counter {
  static showsObservation = true
}
`

export const createStage = (folder: string) => {
  const file = (name: string) => path.join(folder, name)
  mkdirSync(file('modules'), { recursive: true })
  copyFileSync(path.join(modules, 'counter.mjs'), file('modules/counter.mjs'))
  writeFileSync(file('modules/seen.mjs'), seen)
  mkdirSync(file('agents'))
  for (const [name, text] of Object.entries(agentFiles)) writeFileSync(file(`agents/${name}`), text)
  const stdio = path.resolve(import.meta.dirname, '../../mcp/servers/stdio.mjs')
  const strange = rawProcess(folder, {
    lists: [
      { writes: [`${result({ tools: [{ name: 'strange', inputSchema: null, description: null }] })}\n`] },
    ],
  })
  const { command, args } = strange as { command: string; args: string[] }
  const mcpServers = { tools: { command: process.execPath, args: [stdio] }, odd: { command, args } }
  writeFileSync(file('mcp.json'), JSON.stringify({ mcpServers }))
  let server: ServerProcess | undefined
  const running = (): ServerProcess => {
    if (server === undefined) throw new Error('no server runs')
    return server
  }
  /** The server that runs now. */
  const api: Api = (...call) => running().api(...call)
  const apiWith =
    (token: string): Api =>
    (method, where, body, headers = {}) =>
      api(method, where, body, { authorization: `Bearer ${token}`, ...headers })

  return {
    ...tasksOf(api),
    api,
    file,
    dataDir: file('data'),
    url: () => running().url,
    env: envCalls(api),
    as: (token: string) => ({ ...tasksOf(apiWith(token)), env: envCalls(apiWith(token)) }),
    async begin(env: Record<string, string> = {}, ttl = forGood): Promise<void> {
      server = await launch(file('data'), {
        LOG_LEVEL: 'error',
        ENV_PATH: file('modules'),
        AGENT_PATH: file('agents'),
        MCP_CONFIG: file('mcp.json'),
        ALLOW_PRIVATE_URLS: '1',
        ENV_SESSION_IDLE_SECONDS: forGood,
        WORKSPACE_ROOT: file('workspace'),
        ...ttls(ttl),
        ...env,
      })
    },
    /** Ends the server. */
    async end(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
      await running().end(signal)
      server = undefined
    },
    /** A create that does not wait; the answer is the task's id. */
    async begins(body: object, headers: Record<string, string> = {}): Promise<string> {
      const made = await tasksOf(api).post({ background: true, ...body }, headers)
      if (made.status !== 200) throw new Error(`${made.status} ${made.text}`)
      return made.body.result.id
    },
    /** A call that must be answered with 200. */
    async must(method: string, where: string, body?: unknown, headers?: Record<string, string>) {
      const answer = await read(api(method, where, body, headers))
      if (answer.status !== 200) throw new Error(`${method} ${where}: ${answer.status} ${answer.text}`)
      return answer.body as unknown as Record<string, never>
    },
    /** Until a task has a child. */
    async hasChild(id: string): Promise<void> {
      const { session_id } = await tasksOf(api).get(id)
      const where = `/tasks?session_id=${session_id}&include_subtasks=true`
      await until(async () => {
        const list = await read(api('GET', where))
        return (list.body.result as unknown as unknown[]).length > 1
      })
    },
    /** Until a tool has written a line into its file. */
    hasBegun: (name: string) => until(() => linesOf(file(name)) > 0),
    /** Until a file is there. */
    exists: (name: string) => until(() => existsSync(file(name))),
    changeModules: () => appendFileSync(file('modules/counter.mjs'), '// changed\n'),
    forgetSecrets: () => {
      const db = new Database(path.join(file('data'), 'secrets.db'))
      db.exec('DELETE FROM secrets')
      db.close()
    },
  }
}
export type Stage = ReturnType<typeof createStage>

const linesOf = (name: string): number => {
  try {
    return readFileSync(name, 'utf8').length
  } catch {
    return 0
  }
}
