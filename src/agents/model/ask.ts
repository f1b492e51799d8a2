// Sends a request to the endpoint. Repeats the request until the endpoint accepts it, if another try may help.
import type { Timers } from '../../contract/ports.ts'
import { sleep } from '../../platform/sleep.ts'
import { longest, textWithin } from './answer-text.ts'
import { ModelRefused, type Redact, unreachable } from './failures.ts'
import { reasonOfBody } from './reasons.ts'
import type { SilenceWatch } from './silence.ts'

/** The largest number of tries of one request. */
const tries = 4
/** The wait before the second try, in milliseconds. */
const firstWaitMs = 500
/** The longest wait before a try, in milliseconds. It is the limit even if the endpoint asks for a longer wait. */
const longestWaitMs = 60_000

/** What is not implemented (501) stays so. */
const mayHelp = (status: number): boolean =>
  status === 408 || status === 409 || status === 429 || (status >= 500 && status !== 501)

/** Milliseconds until the next try: the endpoint's `Retry-After`, else twice the previous wait. */
const waitBefore = (attempt: number, retryAfter: string | null): number => {
  const seconds = Number(retryAfter)
  const asked =
    retryAfter === null
      ? Number.NaN
      : Number.isNaN(seconds)
        ? Date.parse(retryAfter) - Date.now()
        : seconds * 1000
  const wait = Number.isNaN(asked) ? firstWaitMs * 2 ** (attempt - 1) : asked
  return Math.min(Math.max(0, wait), longestWaitMs)
}

const isRedirect = ({ status }: Response): boolean => status >= 300 && status < 400

/** The endpoint's reason for its error. */
const errorTextOf = async (answer: Response): Promise<string> => {
  const text = (await textWithin(answer, longest.error).catch(() => '')) ?? 'an endless error'
  return reasonOfBody(text, answer.status)
}

/** A failed try that may be repeated: the reason, and the wait that the endpoint asks for. */
type Failed = { why: string; words?: string; status?: number; retryAfter: string | null }

/** Sends until a response is successful, and does not read its body. Throws ModelRefused, or the signal's reason. */
export type Persist = (
  send: (signal: AbortSignal) => Promise<Response>,
  signal: AbortSignal,
  watch: SilenceWatch,
) => Promise<Response>
export type Ask = (body: string, signal: AbortSignal, watch: SilenceWatch) => Promise<Response>

export const createPersist = (redact: Redact, timers: Timers): Persist => {
  const failureOf = async (answer: Response): Promise<Failed> => {
    const words = isRedirect(answer) ? 'a redirect, which is not followed' : await errorTextOf(answer)
    const why = redact(`the model's endpoint answered ${answer.status}: ${words}`)
    const { status } = answer
    if (!mayHelp(status)) throw new ModelRefused(why, status, words)
    return { why, words, status, retryAfter: answer.headers.get('retry-after') }
  }

  const attempt = async (...[send, signal, watch]: Parameters<Persist>): Promise<Response | Failed> => {
    try {
      watch.begin()
      const answer = await send(signal)
      watch.heard()
      return answer.ok ? answer : await failureOf(answer)
    } catch (error) {
      if (error instanceof ModelRefused || signal.aborted) throw error
      const why = redact(`the model's endpoint cannot be reached: ${unreachable(error)}`)
      return { why, retryAfter: null }
    }
  }

  return async (send, signal, watch) => {
    for (let attempts = 1; ; attempts++) {
      const outcome = await attempt(send, signal, watch)
      if (outcome instanceof Response) return outcome
      watch.end() // the wait before a retry does not count as silence
      if (attempts === tries) throw new ModelRefused(outcome.why, outcome.status, outcome.words)
      await sleep(timers, waitBefore(attempts, outcome.retryAfter), signal)
      signal.throwIfAborted()
    }
  }
}

export const createAskModel = (
  given: { url: string; headers: Record<string, string>; redact: Redact; fetch: typeof fetch },
  timers: Timers,
): Ask => {
  const headers = { 'content-type': 'application/json', accept: 'text/event-stream', ...given.headers }
  const persist = createPersist(given.redact, timers)
  // Redirects are not followed, since the prompt may go only to the endpoint that the operator named.
  return (body, signal, watch) =>
    persist(
      signal => given.fetch(given.url, { method: 'POST', headers, body, signal, redirect: 'manual' }),
      signal,
      watch,
    )
}
