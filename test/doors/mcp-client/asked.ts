// A task that calls a tool whose server asks the user, and what its client does with the questions.
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Test } from 'tap'
import { makeAskingServer } from '../../mcp/servers/asking.mjs'
import { serveMcp } from '../../mcp/servers/http.ts'
import { folderOf } from '../../mcp/support.ts'
import { until } from '../../support/http.ts'
import type { Api } from '../../support/server.ts'

export type Pending = {
  call_id: string
  name: string
  arguments: string
  metadata: { schema?: Record<string, unknown>; asked_by?: string; url?: string }
}
export type Task = {
  id: string
  session_id: string
  status: string
  metadata: { pending_inputs?: Pending[]; reason?: string }
  output: { type: string; call_id?: string; status?: string; message_content?: unknown }[]
}

/** A call of a tool of a server, by an agent that then repeats what the tool said. */
export const bodyFor = (server: object, tool: string, args: object, name = 's') => ({
  user_message_content: 'go',
  stream: false,
  background: true,
  agent_config: {
    agent_id: 'script',
    script: [{ tool: `${name}__${tool}`, arguments: args }, { message: 'It said: $result' }],
    tool_mcp_config: { mcpServers: { [name]: server } },
  },
})

export const taskIn = async (answer: Response): Promise<Task> =>
  ((await answer.json()) as { result: Task }).result
export const taskNow = async (api: Api, id: string) => taskIn(await api('GET', `/tasks/${id}`))

/** The task when it has this status. */
export const whenIt = async (api: Api, id: string, status: string): Promise<Task> => {
  let task = await taskNow(api, id)
  await until(async () => {
    task = await taskNow(api, id)
    return task.status === status || task.status === 'failed'
  })
  return task
}

export const asksIn = ({ metadata }: Pick<Task, 'metadata'>): Pending[] => metadata.pending_inputs ?? []

/** Sends the answers to the questions for which a task waits, in their order. A text declines its question. */
export const answer = (api: Api, task: Task, ...answers: (object | string)[]): Promise<Response> => {
  const tool_results = answers.map((given, n) => {
    const call_id = asksIn(task)[n]?.call_id
    return typeof given === 'string'
      ? { call_id, status: 'incomplete', message_content: given }
      : { call_id, message_content: JSON.stringify(given) }
  })
  return api('POST', `/tasks/${task.id}/input`, { tool_results })
}

/** What the result of the call says. */
export const saidIn = ({ output }: Task): string =>
  JSON.stringify(output.findLast(({ type }) => type === 'tool_result')?.message_content)

/** The file into which the tools write what they do. */
export const deedsIn = (t: Test) => {
  const file = path.join(folderOf(t), 'deeds')
  const lines = (): {
    asked?: string[]
    answers?: Record<string, { action: string; content?: object }>
  }[] => {
    try {
      return readFileSync(file, 'utf8')
        .split('\n')
        .slice(0, -1)
        .map(line => JSON.parse(line))
    } catch {
      return []
    }
  }
  return {
    file,
    lines,
    answers: () => lines().flatMap(({ answers }) => (answers === undefined ? [] : [answers])),
  }
}

const program = path.resolve(import.meta.dirname, '../../mcp/servers/asking.mjs')

/** A server that asks: how a task names it, and the variables of the server of Reprise with which a task can use it. */
export type Asking = { server: object; env: Record<string, string> }
export const askingPlace = async (t: Test, modern: boolean): Promise<Asking> => {
  const { url } = await serveMcp(t, { modern, make: makeAskingServer })
  return { server: { url }, env: { ALLOW_PRIVATE_URLS: '1' } }
}

/** The variables of a server of Reprise whose tasks can use a program of each version: `s` speaks 2025-11-25, `new` 2026-07-28. */
export const askingPrograms = (t: Test): Record<string, string> => {
  const run = (...more: string[]) => ({ command: process.execPath, args: [program, ...more] })
  const file = path.join(folderOf(t), 'mcp.json')
  writeFileSync(file, JSON.stringify({ mcpServers: { s: run(), new: run('modern') } }))
  return { MCP_CONFIG: file }
}
