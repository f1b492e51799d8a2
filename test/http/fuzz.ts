// Requests that a seed reproduces: every route, every kind of mistake. What must hold of each answer is in `judge`.
import { randomOf } from '../support/world.ts'

export type FuzzRequest = {
  method: string
  path: string
  headers: Record<string, string>
  body: string | undefined
}

const oddText = [
  '',
  'x',
  '\u0000',
  '\ud800',
  '😀',
  'a'.repeat(300),
  '../..',
  '__proto__',
  '%00',
  "' OR 1=1",
  '-1',
  '1e9',
  'null',
  '\r\nX: y',
]
const oddValues: unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  1.5,
  1e308,
  [],
  {},
  [[]],
  [{}],
  { type: 'text' },
  { type: 'message' },
  ...oddText,
]
const fields = [
  'user_message_content',
  'stream',
  'structured_output',
  'client_id',
  'request_id',
  'session_id',
  'task_id',
  'user_id',
  'agent_config',
  'allowed_tools',
  'client_tools',
  'history_messages',
  'thought_messages',
  'inference_args',
  'workspace_dir',
  'env',
  'log_dir',
  'rollout_save_dir',
  'return_rollout',
  'background',
  'on_disconnect',
  'metadata',
  'unknown',
  'toString',
]
const items: unknown[] = [
  { type: 'message', role: 'user', message_content: 'hi' },
  { type: 'reasoning', id: 'r', summary: [] },
  { type: 'tool_call', call_id: 'c', name: 'f', arguments: '{}' },
  { type: 'tool_result', call_id: 'c', message_content: 'ok', block_list: [] },
]
const steps: unknown[] = [
  { message: 'one two' },
  { message: 'a b', delta_ms: 1 },
  { reasoning: 'hm' },
  { sleep_ms: 5 },
  { pause: 'p' },
  { fail: { code: -32000, message: 'f' } },
  { usage: { input_tokens: 1 } },
]

/** An endless source of requests; `ids` are tasks that exist, and it may be given more. */
export const fuzzer = (seed: number, token: string, ids: string[]) => {
  const random = randomOf(seed)
  const below = (n: number) => Math.floor(random() * n)
  const chance = (p: number) => random() < p
  const pick = <T>(values: readonly T[]): T => values[below(values.length)] as T
  const some = <T>(values: readonly T[], most: number): T[] =>
    Array.from({ length: below(most + 1) }, () => pick(values))

  const value = (depth = 0): unknown => {
    if (depth > 3 || chance(0.6)) return pick(oddValues)
    return chance(0.5)
      ? Array.from({ length: below(4) }, () => value(depth + 1))
      : Object.fromEntries(Array.from({ length: below(4) }, () => [pick(oddText), value(depth + 1)]))
  }
  const task = (): Record<string, unknown> => ({
    user_message_content: pick<unknown>(['hello', [], [{ type: 'text', text: 'x' }]]),
    stream: chance(0.3),
    background: chance(0.3),
    client_id: pick(['echo', 'echo', 'script', 'other']),
    ...(chance(0.3) ? { session_id: pick(['s1', 's2']) } : {}),
    ...(chance(0.1) ? { task_id: pick([...ids, 't1', 't2']) } : {}),
    ...(chance(0.3) ? { history_messages: some(items, 3) } : {}),
    ...(chance(0.5) ? { agent_config: { agent_id: 'script', script: some(steps, 4) } } : {}),
  })
  const body = (): string => {
    const given: Record<string, unknown> = chance(0.9) ? task() : {}
    for (let n = below(3); n > 0; n--) given[pick(fields)] = value()
    const text = JSON.stringify(chance(0.95) ? given : value()) ?? 'null'
    if (chance(0.9)) return text
    const at = below(text.length)
    return pick([
      text.slice(0, at),
      text + text,
      `${text.slice(0, at)}${pick(['\u0000', '"', '{', ',', '\\u', '1e'])}${text.slice(at + 1)}`,
    ])
  }
  const id = () =>
    chance(0.7) && ids.length > 0
      ? encodeURIComponent(pick(ids))
      : pick(['x', '%00', '%2F', '%zz', '%ff', '..%2f', 'é', 'x'.repeat(300), '*', '__proto__'])
  const query = (): string => {
    if (chance(0.4)) return ''
    const names = [
      'limit',
      'status',
      'status[]',
      'starting_after',
      'ending_before',
      'order',
      'session_id',
      'user_id',
      'after',
      'include_subtasks',
      'x',
      '__proto__',
    ]
    const values = [
      '1',
      '0',
      '10',
      '-1',
      '1.5',
      'true',
      '',
      'completed',
      'asc',
      '%00',
      '%ff',
      '%F0%9F%98%80',
      's1',
      ...ids.slice(-3).map(encodeURIComponent),
    ]
    return `?${Array.from({ length: 1 + below(4) }, () => `${pick(names)}=${pick(values)}`).join('&')}`
  }
  const asked = ['cancel', 'pause', 'resume', 'events', 'nothing', 'input', 'messages', 'reward']
  const paths = [
    () => `/v1/tasks${query()}`,
    () => '/v1/tasks',
    () => `/v1/tasks/${id()}${query()}`,
    () => `/v1/tasks/${id()}/${pick(asked)}${query()}`,
    () => `/v1/auth/tokens${chance(0.3) ? `/${id()}` : ''}`,
    () => pick(['/healthz', '/readyz', '/', '/v1', '/v1//tasks', `/${id()}`]),
  ]

  return {
    next(): FuzzRequest {
      const isCreate = chance(0.45)
      const path = isCreate ? '/v1/tasks' : pick(paths)()
      const method = isCreate
        ? 'POST'
        : pick(['GET', 'GET', 'GET', 'POST', 'POST', 'DELETE', 'PUT', 'PATCH', 'OPTIONS'])
      const hasBody = method !== 'GET' && (isCreate || chance(0.4))
      const headers: Record<string, string> = {}
      if (chance(0.95))
        headers.authorization = chance(0.97) ? `Bearer ${token}` : pick(['', 'Bearer', 'Basic x', 'Bearer x'])
      if (hasBody)
        headers['content-type'] = chance(0.95)
          ? 'application/json'
          : pick(['text/plain', '', 'application/json; charset=latin1', 'x/y'])
      if (chance(0.1)) headers.accept = pick(['text/event-stream', '*/*', 'x'])
      if (chance(0.1)) headers['idempotency-key'] = pick(['k1', 'k2', '', 'k'.repeat(300)])
      if (chance(0.1)) headers['x-stainless-retry-count'] = pick(['0', '1', '2', 'x', '-1', '1e3'])
      if (chance(0.1)) headers['x-request-id'] = pick(['r1', '', 'r'.repeat(257), 'caf\u00e9'])
      if (chance(0.05)) headers['last-event-id'] = pick(['0', '1', '999', 'x', '', '-1'])
      if (chance(0.02)) headers['content-encoding'] = pick(['gzip', 'identity', 'x'])
      return { method, path, headers, body: hasBody ? body() : undefined }
    },
  }
}

/** What an answer breaks of the promises that hold for all; undefined when it keeps them. */
export const judge = (
  { method, path }: FuzzRequest,
  answer: { status: number; headers: Headers; text: string },
): string | undefined => {
  const { status, headers, text } = answer
  if (status >= 500) return 'a 5xx'
  if (![200, 204, 400, 401, 404, 405, 409, 413, 415, 422].includes(status))
    return `an unexpected status ${status}`
  if (headers.get('x-api-version') !== '2.3.0') return 'no X-API-Version'
  if (!headers.get('x-request-id')) return 'no X-Request-ID'
  if (status === 204 || method === 'HEAD') return undefined
  if (headers.get('content-type') === 'text/event-stream') {
    return text.startsWith(': open\n') && text.endsWith('\n\n')
      ? undefined
      : 'a stream that does not begin or end well'
  }
  let body: Record<string, unknown>
  try {
    body = JSON.parse(text)
  } catch {
    return 'no JSON'
  }
  if (status === 422) {
    const detail = body.detail as { loc: unknown[]; msg: unknown; type: unknown }[]
    const isProblem = ({ loc, msg, type }: (typeof detail)[number]) =>
      ['body', 'query', 'path', 'header'].includes(loc[0] as string) &&
      typeof msg === 'string' &&
      typeof type === 'string'
    return Array.isArray(detail) && detail.length > 0 && detail.every(isProblem)
      ? undefined
      : 'not the validation shape'
  }
  if (status >= 400) {
    const error = (body.error ?? body) as { code?: unknown; message?: unknown }
    return Number.isInteger(error.code) && typeof error.message === 'string'
      ? undefined
      : 'not the error shape'
  }
  if (path.startsWith('/v1/tasks') && body.jsonrpc !== '2.0' && body.object !== 'task')
    return 'neither envelope nor task'
  return undefined
}

/** Sends requests, some at a time, and collects what must not be. */
export const fuzz = async (
  url: string,
  token: string,
  seed: number,
  requests: number,
): Promise<{ wrong: unknown[]; statuses: Record<string, number> }> => {
  const ids: string[] = []
  const source = fuzzer(seed, token, ids)
  const wrong: unknown[] = []
  const statuses: Record<string, number> = {}
  const one = async () => {
    const request = source.next()
    const { method, path, headers, body } = request
    const abort = new AbortController()
    // A create that waits for a task in a busy session, or a stream of it: nobody has to see its end.
    const timer = setTimeout(() => abort.abort(), 500)
    try {
      const init = { method, headers, signal: abort.signal, ...(body === undefined ? {} : { body }) }
      const response = await fetch(url + path, init)
      const text = await response.text()
      const problem = judge(request, { status: response.status, headers: response.headers, text })
      if (problem !== undefined)
        wrong.push({ problem, status: response.status, text: text.slice(0, 300), ...request })
      statuses[response.status] = (statuses[response.status] ?? 0) + 1
      const id = /"object":"task","id":("(?:[^"\\]|\\.)*")/.exec(text)?.[1]
      if (id !== undefined) ids.push(JSON.parse(id))
      if (ids.length > 200) ids.shift()
    } catch (error) {
      if (!abort.signal.aborted)
        wrong.push({ problem: String(error), cause: String((error as Error).cause), ...request })
    } finally {
      clearTimeout(timer)
    }
  }
  for (let sent = 0; sent < requests; sent += 8) await Promise.all(Array.from({ length: 8 }, one))
  return { wrong, statuses }
}
