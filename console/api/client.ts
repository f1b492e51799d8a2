// The only part of the console that talks to the server. It uses the public API, with the token of the session.
import { readJson } from '../../src/contract/json/exact-json.ts'
import { root } from './address.ts'
import type { Api } from './api.ts'
import { ApiError, errorOf, isOfProxy, NoSocket, unreachable } from './api-error.ts'
import { readLines } from './lines.ts'
import { doubt } from './reach.ts'
import { followSocket } from './socket.ts'

/** After a WebSocket could not be opened, the next one is tried this many milliseconds later. */
const withoutSocketMs = 30_000

/** `onRefused` is called when the server does not know the token any more. */
export const createApi = (tokenOf: () => string | undefined, onRefused: () => void): Api => {
  /** How many WebSockets in a row could not be opened. */
  let unopened = 0
  let noSocketUntil = 0
  /** `path`: below the root of the server. */
  const request = async (path: string, init: RequestInit): Promise<Response> => {
    const token = tokenOf()
    const headers = { ...(token === undefined ? {} : { authorization: `Bearer ${token}` }), ...init.headers }
    const answer = await fetch(root + path, { ...init, headers }).catch(error => {
      if (init.signal?.aborted) throw error
      void doubt()
      throw unreachable(error)
    })
    if (isOfProxy(answer.status)) void doubt()
    if (answer.status === 401 && token !== undefined && token === tokenOf()) onRefused()
    return answer
  }
  const ask = async (path: string, init: RequestInit): Promise<Response> => {
    const answer = await request(path, init)
    if (!answer.ok) throw errorOf(answer.status, await answer.text())
    return answer
  }

  const send = async <T>(method: string, path: string, body?: object, signal?: AbortSignal): Promise<T> => {
    const content =
      body === undefined
        ? {}
        : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
    const answer = await ask(`v1${path}`, { method, ...content, ...(signal && { signal }) })
    const text = await answer.text().catch(error => {
      throw unreachable(error)
    })
    return readJson(text) as T
  }

  return {
    send,
    async lines(path, signal, take) {
      const answer = await ask(`v1${path}`, { headers: { accept: 'application/x-ndjson' }, signal })
      if (answer.body !== null) await readLines(answer.body, take)
    },
    text: async path => (await ask(`v1${path}`, {})).text(),
    ask: async <T>(method: string, path: string, body?: object, signal?: AbortSignal) =>
      (await send<{ result: T }>(method, path, body, signal)).result,
    async read(path, signal) {
      const answer = await request(path, { method: 'GET', ...(signal && { signal }) })
      return { status: answer.status, text: await answer.text() }
    },
    async follow(subscription, options) {
      if (Date.now() < noSocketUntil) throw new NoSocket()
      const end = await followSocket(tokenOf() ?? '', subscription, {
        ...options,
        onOpen() {
          unopened = 0
          options.onOpen?.()
        },
      })
      if (end === 'ended') return
      if (end instanceof ApiError) throw end
      void doubt()
      if (end === 'unopened') unopened++
      // A server that starts again answers requests a moment after it has opened no socket.
      if (end === 'unauthenticated' || unopened > 1) await send('GET', '/auth/token')
      if (unopened < 2) throw unreachable('the connection broke')
      noSocketUntil = Date.now() + withoutSocketMs
      throw new NoSocket()
    },
  }
}
