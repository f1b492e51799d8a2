// What the tests of environments have in common: their own modules, and short ways to call each operation.
import path from 'node:path'
import { read } from '../support/http.ts'
import type { Api } from '../support/server.ts'

export const modules = path.resolve(import.meta.dirname, '../environments/modules')
export const counter = 'counter.mjs#Counter'
export const kept = 'counter.mjs#Kept'
export const gone = 'counter.mjs#Gone'

export type Tool = { type: string; function: { name: string } }
export type Seen = { total: number; drawn: number[]; at: number[]; seed: number; [more: string]: unknown }
/** Every field of every answer of the operations; a test looks at those that it expects. */
export type EnvBody = {
  session_id: string
  env_id: string
  user_id: string
  initial_state: Seen
  tools: Tool[]
  done: boolean
  step: number
  tool_result: { type: string; id: string; status: string; call_id: string; message_content: unknown }
  observation: Seen
  state: Seen
  reward: number
  truncated: boolean
  info: { error?: string; [more: string]: unknown }
  is_active: boolean
  created_at: number
  last_accessed_at: number
  close_reason?: string
  kind?: string
  sessions: EnvBody[]
  total: number
  code: number
  message: string
  data?: Record<string, unknown>
  detail: { loc: (string | number)[]; msg: string; type: string }[]
}
export type Headers = Record<string, string>

export const envCalls = (api: Api) => {
  const call = async (method: string, where: string, body?: unknown, headers?: Headers) => {
    const answer = await read(api(method, where, body, headers))
    return { ...answer, body: answer.body as unknown as EnvBody }
  }
  return {
    call,
    create: (body: object = {}, headers?: Headers) => call('POST', '/env/create', body, headers),
    /** A new session of one of our own classes; the answer is its id. */
    async made(body: object = {}): Promise<string> {
      const {
        status,
        text,
        body: made,
      } = await call('POST', '/env/create', { env_class_path: counter, ...body })
      if (status !== 200) throw new Error(`${status} ${text}`)
      return made.session_id
    },
    step: (
      session_id: string,
      tool_name: string,
      tool_args: object = {},
      more: object = {},
      headers?: Headers,
    ) => call('POST', '/env/step', { session_id, tool_name, tool_args, ...more }, headers),
    add: (session_id: string, by: number, headers?: Headers) =>
      call('POST', '/env/step', { session_id, tool_name: 'add', tool_args: { by } }, headers),
    reset: (session_id: string, more: object = {}) => call('POST', '/env/reset', { session_id, ...more }),
    observe: (session_id: string) => call('POST', '/env/observation', { session_id }),
    close: (session_id: string) => call('POST', '/env/close', { session_id }),
    record: (session_id: string) => call('GET', `/env/session/${session_id}`),
    remove: (session_id: string) => call('DELETE', `/env/session/${session_id}`),
  }
}
export type EnvCalls = ReturnType<typeof envCalls>
