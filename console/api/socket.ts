// Follows events, or the frames of a task, on a WebSocket. Over HTTP/1.1 a browser opens at most six connections for
// requests to one host, in all its tabs together. WebSockets do not count among them, so every tab can have its own.
import { root } from './address.ts'
import type { FollowOptions, Subscription } from './api.ts'
import { ApiError, type Refused, wordsOf } from './api-error.ts'

/**
 * How it ended. `ended`: the task has no more frames, or the caller has aborted. `unopened`: no subscription has begun.
 * `unauthenticated`: the server does not accept the token. ApiError: the server refuses the subscription.
 */
export type SocketEnd = 'ended' | 'broken' | 'unopened' | 'unauthenticated' | ApiError

/** Milliseconds within which the server must answer. Otherwise the connection is broken. */
const answerMs = 10_000
/** Milliseconds between two questions whether the server is still there. */
const askMs = 15_000

const unauthenticated = -32030
/** The server does not know the origin of the page: a proxy has changed the header `Host`. */
const forbidden = -32031
/** The statuses of refusals that would come again. After another refusal, the same request may succeed later. */
const lasting: Record<number, number> = { [-32001]: 404, [-32602]: 422 }

type Message = { type: string; channel?: string; data?: object; error?: Refused }

const endBy = (refused: Refused): SocketEnd => {
  const { code } = refused
  if (code === unauthenticated) return 'unauthenticated'
  return code === forbidden ? 'unopened' : new ApiError(lasting[code] ?? 503, wordsOf(refused), code)
}

/** Calls `look` when the page may have slept. A connection that broke meanwhile looks like a quiet one. */
const whenAwake = (look: () => void, signal: AbortSignal): void => {
  for (const name of ['visibilitychange', 'resume']) document.addEventListener(name, look, { signal })
  for (const name of ['pageshow', 'online']) addEventListener(name, look, { signal })
}

export const followSocket = (
  token: string,
  subscription: Subscription,
  { signal, onOpen, onEvent }: FollowOptions,
): Promise<SocketEnd> =>
  new Promise(resolve => {
    if (signal.aborted) return resolve('ended')
    const socket = new WebSocket(`${location.origin.replace(/^http/, 'ws')}${root}ws`)
    const over = new AbortController()
    let isOpen = false
    let patience: ReturnType<typeof setTimeout> | undefined
    const end = (how: SocketEnd) => {
      over.abort()
      clearTimeout(patience)
      clearInterval(asking)
      socket.close()
      resolve(how)
    }
    const breakOff = () => end(isOpen ? 'broken' : 'unopened')
    const say = (message: object) => {
      socket.send(JSON.stringify(message))
      patience ??= setTimeout(breakOff, answerMs)
    }
    const ask = () => {
      if (socket.readyState === WebSocket.OPEN) say({ type: 'ping' })
    }
    const hear = ({ type, channel, data, error }: Message) => {
      clearTimeout(patience)
      patience = undefined
      if (error !== undefined) return end(endBy(error))
      if (type === 'ended') return end('ended')
      if (channel !== undefined && data !== undefined) onEvent(data)
      if (type !== 'subscribed') return
      isOpen = true
      onOpen?.()
    }
    const on = { signal: over.signal }
    socket.addEventListener(
      'open',
      () => {
        say({ type: 'auth', token })
        say({ type: 'subscribe', ...subscription })
      },
      on,
    )
    socket.addEventListener('message', ({ data }) => hear(JSON.parse(data as string) as Message), on)
    socket.addEventListener('close', breakOff, on)
    signal.addEventListener('abort', () => end('ended'), on)
    whenAwake(ask, over.signal)
    patience = setTimeout(breakOff, answerMs)
    const asking = setInterval(ask, askMs)
  })
