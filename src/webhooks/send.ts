// Sends one request to a receiver and tells how it ended. Redirects are failures. Of an answer, only the status and
// `Retry-After` are kept.

import type { FailedTry } from '../contract/commands/webhook-commands.ts'
import type { Clock, Timers } from '../contract/ports.ts'
import type { OutsideFetch } from '../egress/guarded-fetch.ts'
import { NotPublic } from '../egress/not-public.ts'
import { signedHeaders } from './signing.ts'

/** The longest wait that a receiver can ask for, in milliseconds: a day. */

const longestMs = 24 * 3600 * 1000

/** The wait in milliseconds that `Retry-After` (seconds or a date) asks for; undefined when it is absent or invalid. */
const retryAfterOf = (given: string | null, now: number): number | undefined => {
  if (given === null) return undefined
  const wait = /^\d+$/.test(given) ? Number(given) * 1000 : Date.parse(given) - now
  return Number.isNaN(wait) ? undefined : Math.min(Math.max(wait, 0), longestMs)
}

// Reads the beginning of an answer and throws it away, so that the connection can serve the next request. A long or
// slow answer is cut off, and its connection is closed.

/** The most bytes of an answer that are read. */
const maxBytes = 4096
/** An answer must end within this many milliseconds after its head. */
const maxMs = 1000

const drop = ({ body }: Response, timers: Timers): void => {
  if (body === null) return
  const reader = body.getReader()
  const cut = () => void reader.cancel().catch(() => {})
  const cancel = timers.after(maxMs, cut)
  const read = async () => {
    for (let bytes = 0; bytes <= maxBytes; ) {
      const { done, value } = await reader.read()
      if (done) return
      bytes += value.length
    }
    cut()
  }
  void read()
    .catch(() => {})
    .finally(cancel)
}

/** The head of an answer must come within this many milliseconds. */
export const patienceMs = 15_000

/** How a try ended. `status` is the status of the receiver's answer. `error` describes the failure. */
export type Outcome = { ok: true; status: number; ms: number } | FailedTry

export type Letter = {
  url: string
  id: string
  body: string
  headers: Readonly<Record<string, string>>
  /** The secrets with which the letter is signed. An empty list: it is not signed. */
  secrets: readonly string[]
}

/** Describes a failure without an answer. The text must not reveal how a name resolves inside the network. */
const wordsOf = (error: unknown, isLate: boolean): string => {
  if (isLate) return `no answer within ${patienceMs / 1000} s`
  if (error instanceof NotPublic) return error.message
  const cause = error instanceof Error ? (error.cause ?? error) : error
  // Fetch refuses some ports, as browsers do, with this message and without a code.
  if (cause instanceof Error && cause.message === 'bad port')
    return 'no web requests are sent to this port, because it belongs to another protocol: use another port'
  const code = typeof cause === 'object' && cause !== null && 'code' in cause ? String(cause.code) : undefined
  return code === undefined ? 'the connection failed' : `the connection failed (${code})`
}

type Deps = { outside: Pick<OutsideFetch, 'fetch'>; clock: Clock; timers: Timers; userAgent: string }

export const createSend = ({ outside, clock, timers, userAgent }: Deps) => {
  return async (letter: Letter, stopping: AbortSignal): Promise<Outcome> => {
    const begun = clock.now()
    const late = new AbortController()
    const signal = AbortSignal.any([late.signal, stopping])
    const cancel = timers.after(patienceMs, () => late.abort())
    const ended = () => clock.now() - begun
    try {
      const message = { id: letter.id, timestamp: Math.floor(begun / 1000), body: letter.body }
      const response = await outside.fetch(letter.url, {
        method: 'POST',
        body: letter.body,
        redirect: 'manual',
        signal,
        headers: {
          ...letter.headers,
          'content-type': 'application/json',
          'user-agent': userAgent,
          ...signedHeaders(message, letter.secrets),
        },
      })
      drop(response, timers)
      const { status } = response
      if (response.ok) return { ok: true, status, ms: ended() }
      const retryAfterMs = retryAfterOf(response.headers.get('retry-after'), clock.now())
      const error =
        status >= 300 && status < 400
          ? `answered ${status}: redirects are not followed`
          : `answered ${status}`
      return {
        ok: false,
        status,
        error,
        ms: ended(),
        ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
      }
    } catch (error) {
      return { ok: false, error: wordsOf(error, late.signal.aborted), ms: ended() }
    } finally {
      cancel()
    }
  }
}
export type Send = ReturnType<typeof createSend>
