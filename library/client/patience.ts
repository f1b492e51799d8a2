// How long and how often something is tried again.
import { ConnectionFailed, type RepriseError } from './errors.ts'
import type { Link } from './link.ts'
import { OverQuota } from './refusals.ts'

/** Milliseconds between two tries: the first and the longest wait. */
const firstWait = 250
const longestWait = 8000

/** Statuses after which the same request may succeed later. */
const passing: readonly number[] = [0, 408, 429, 502, 503, 504, 508]

/** Resolves after `ms` milliseconds. Rejects with the reason of the signal when it aborts before. */
export const pause = (ms: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const aborted = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', aborted)
      resolve()
    }, ms)
    signal?.addEventListener('abort', aborted, { once: true })
  })

/** Whether another try may help. A quota that is used up counts only for streams: a broken one still counts for a while. */
const mayPass = (error: unknown, isStream: boolean): error is RepriseError =>
  passing.includes((error as RepriseError | undefined)?.status ?? -1) &&
  (isStream || !(error instanceof OverQuota))

/** The tries of one request or stream. */
export const triesOf = (
  { patience, root, warn }: Link,
  signal: AbortSignal | undefined,
  isStream = false,
) => {
  let failedSince: number | undefined
  let tries = 0
  return {
    /** The connection is alive, so the next failure begins the patience anew. */
    lives() {
      failedSince = undefined
    },
    /** Something new has come. */
    worked() {
      failedSince = undefined
      tries = 0
    },
    /** Waits until it is time for another try. Throws the error when no other try is to be made. */
    async again(error: unknown): Promise<void> {
      if (signal?.aborted) throw signal.reason
      if (!mayPass(error, isStream)) throw error
      failedSince ??= Date.now()
      const most = Math.min(longestWait, firstWait * 2 ** tries)
      const wait = error.retryAfter ?? most / 2 + (Math.random() * most) / 2
      if (Date.now() + wait - failedSince > patience) throw error
      if (tries === 1 && error instanceof ConnectionFailed)
        warn(
          `the server at ${root} cannot be reached; it is tried again for ${Math.round(patience / 1000)} s`,
        )
      tries++
      await pause(wait, signal)
    },
  }
}
