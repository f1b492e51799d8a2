// Requests to the HTTP API and their answers: whole answers, raw connections, and the types that tests use.
import { connect } from 'node:net'
import { type Api, apiOf } from './server.ts'

/** Functions that send requests with another token. */
export const apiAs =
  (url: string, token: string): Api =>
  (method, where, body, headers = {}) =>
    apiOf(url)(method, where, body, { authorization: `Bearer ${token}`, ...headers })

export type Problem = { loc: (string | number)[]; msg: string; type: string }
export type Item = { type: string; id: string; status: string; [more: string]: unknown }
export type TaskJson = {
  object: 'task'
  id: string
  session_id: string
  user_id: string
  status: string
  created_at: number
  output: Item[]
  usage?: Record<string, number>
  metadata?: Record<string, unknown>
  previous_task_id?: string
}
type ErrorJson = { code: number; message: string; data?: Record<string, unknown> }
/** All fields that an answer may have; a test uses those that it expects. */
export type Body = { jsonrpc: string; id: string; result: TaskJson; error: ErrorJson; detail: Problem[] }

/** Reads a whole answer. */
export const read = async (response: Response | Promise<Response>) => {
  const answer = await response
  const text = await answer.text()
  let body = {} as Body
  try {
    body = JSON.parse(text) as Body
  } catch {
    // The answer is not JSON. The caller gets its text.
  }
  return { status: answer.status, headers: answer.headers, text, body }
}

/** The ids of the tasks in a list. */
export const idsOf = ({ body }: { body: Body }): string[] =>
  (body.result as unknown as TaskJson[]).map(({ id }) => id)

/** Each problem as one line: its place, and its type in the words of pydantic. */
export const brief = (detail: Problem[] | undefined): string[] =>
  (detail ?? []).map(({ loc, type }) => [...loc, type].join(' '))

export const pause = (ms: number) => new Promise<void>(resolve => setTimeout(resolve, ms))

/** Resolves when the condition is true. Rejects when it is still false after `ms` milliseconds. */
export const until = async (condition: () => boolean | Promise<boolean>, ms = 60_000): Promise<void> => {
  const end = Date.now() + ms
  // A condition often asks the server, so one that stays false is asked less and less often.
  for (let wait = 5; !(await condition()); wait = Math.min(1.2 * wait, 50)) {
    if (Date.now() > end) throw new Error(`the condition is still false after ${ms} ms: ${condition}`)
    await pause(wait)
  }
}

const parse = (raw: string) => {
  const [head = '', ...rest] = raw.split('\r\n\r\n')
  const [first = '', ...lines] = head.split('\r\n')
  const headers = Object.fromEntries(
    lines.map(line => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 2)]),
  )
  return { status: Number(first.split(' ')[1] ?? 0), headers, body: rest.join('\r\n\r\n') }
}

/** Opens a raw connection. It shows what has arrived so far, as latin1 text, and how the connection ended. */
export const dial = async (url: string) => {
  const { hostname, port } = new URL(url)
  const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true })
  const state = { raw: '', ended: false, broken: false }
  socket.setEncoding('latin1')
  socket.on('data', chunk => {
    state.raw += chunk
  })
  socket.on('end', () => {
    state.ended = true
    socket.end()
  })
  socket.on('error', () => {
    state.broken = true
  })
  const closed = new Promise<void>(resolve => socket.once('close', () => resolve()))
  await new Promise(resolve => socket.once('connect', resolve))
  return { socket, state, closed, answer: () => parse(state.raw) }
}

/**
 * Sends bytes on a new connection. Resolves to the answer when the server has closed it, or after `ms` milliseconds.
 */
export const exchange = async (
  url: string,
  bytes: string | Buffer,
  { ms = 60_000, halfClose = false } = {},
) => {
  const { socket, state, closed, answer } = await dial(url)
  let timedOut = false
  const timer = setTimeout(() => {
    timedOut = true
    socket.destroy()
  }, ms)
  socket.write(bytes)
  if (halfClose) socket.end()
  await closed
  clearTimeout(timer)
  return { ...answer(), raw: state.raw, timedOut, broken: state.broken }
}

/** A list of tokens without when they were used, which only the memory of a server knows. */
export const withoutUses = (list: string): string =>
  list.replace(/,"uses_since":\d+|,"last_used_at":(null|\d+)/g, '')
