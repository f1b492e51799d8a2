// A WebSocket of somebody else's making, which keeps all that it hears.
import { WebSocket } from 'ws'
import { until } from '../../support/http.ts'
import { adminToken } from '../../support/server.ts'

export type Heard = {
  type: string
  request_id?: string
  channel?: string
  id?: number
  timestamp?: string
  data?: Record<string, unknown>
  error?: { code: number; message: string; data?: { detail?: { loc: (string | number)[]; type: string }[] } }
  [more: string]: unknown
}
type Wish = { token?: string; query?: string; headers?: Record<string, string> }

export const addressOf = (url: string, query = ''): string => `${url.replace(/^http/, 'ws')}/ws${query}`

/** Opens one, by the admin's token unless it is told otherwise; `''`: by none. */
export const openSocket = async (
  url: string,
  { token = adminToken, query = '', headers = {} }: Wish = {},
) => {
  const ws = new WebSocket(addressOf(url, query), {
    headers: { ...(token === '' ? {} : { authorization: `Bearer ${token}` }), ...headers },
  })
  const heard: Heard[] = []
  let end: { code: number; reason: string } | undefined
  ws.on('message', data => heard.push(JSON.parse(String(data))))
  ws.on('error', () => {})
  const closed = new Promise<{ code: number; reason: string }>(resolve =>
    ws.once('close', (code, reason) => {
      end = { code, reason: String(reason) }
      resolve(end)
    }),
  )
  await new Promise((resolve, reject) => ws.once('open', resolve).once('error', reject))
  let asked = 0
  return {
    ws,
    heard,
    closed,
    /** How it was closed; undefined: it is open. */
    end: () => end,
    /** Sends an object as JSON, or a text as it is. */
    say: (message: object | string) =>
      ws.send(typeof message === 'string' ? message : JSON.stringify(message)),
    /** Waits until something fits that was heard, or is. */
    async until(wished: (message: Heard) => boolean, ms = 60_000): Promise<Heard> {
      await until(() => heard.some(wished), ms)
      return heard.find(wished) as Heard
    },
    /** Says something, and waits for what answers it. */
    async ask(message: { request_id?: string; [more: string]: unknown }, ms = 60_000): Promise<Heard> {
      const { request_id = `ask-${++asked}` } = message
      ws.send(JSON.stringify({ ...message, request_id }))
      return this.until(one => one.request_id === request_id, ms)
    },
    /** What came on channels. */
    told: () => heard.filter(({ channel, type }) => channel !== undefined && type !== 'ended'),
    /** Closes it as a client does. */
    async cut() {
      ws.close()
      await closed
    },
  }
}
export type Socket = Awaited<ReturnType<typeof openSocket>>

/** Problems of an error as one line each. */
export const briefly = ({ error }: Heard): string[] =>
  (error?.data?.detail ?? []).map(({ loc, type }) => [...loc, type].join(' '))
