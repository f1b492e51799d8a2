// Sends requests that are answered at once, and tries them again where that is safe.
import { ConnectionFailed, type RepriseError } from './errors.ts'
import type { Link, Request } from './link.ts'
import { triesOf } from './patience.ts'

/** Milliseconds without a byte after which a request without an answer is made again. */
const silence = 120_000

/** What every method of the client takes besides. */
export type Sending = {
  /** Ends the request. */
  signal?: AbortSignal | undefined
}
export type Creating = Sending & {
  /** The `Idempotency-Key`. The default is a new one for each call, which all tries of the call share. */
  idempotencyKey?: string | undefined
}

export type Sent<T> = { value: T; headers: Headers }

/** A key that nobody has used. */
export const newKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map(byte => byte.toString(16).padStart(2, '0')).join('')

/**
 * `key`: the `Idempotency-Key`; true: a new one. `once`: a second try would do the same thing again, so only what the server has
 * refused is tried again.
 */
export type Sendable = Request & { key?: string | true | undefined; once?: boolean | undefined }

/** Statuses after which the server may have done what was asked: there is no answer, or something in between gave up waiting. */
const unknown: readonly number[] = [0, 502, 504]
const mayBeDone = (error: unknown): boolean =>
  unknown.includes((error as RepriseError | undefined)?.status ?? -1)

export const sentBy = async <T>(link: Link, { key, once, ...request }: Sendable): Promise<Sent<T>> => {
  const named = key === true ? newKey() : key
  const headers = { ...request.headers, ...(named === undefined ? {} : { 'idempotency-key': named }) }
  const tries = triesOf(link, request.signal)
  for (;;) {
    try {
      const answer = await link.open({ ...request, headers }, silence)
      const text = await answer.text()
      return { value: valueIn<T>(text), headers: answer.headers }
    } catch (error) {
      if (once && mayBeDone(error)) throw error
      await tries.again(error)
    }
  }
}

const valueIn = <T>(text: string): T => {
  try {
    return (text === '' ? undefined : JSON.parse(text)) as T
  } catch (cause) {
    throw new ConnectionFailed('the answer was cut off', { cause })
  }
}

/** The answer of an operation that answers with the thing itself. */
export const send = async <T>(link: Link, request: Sendable): Promise<T> =>
  (await sentBy<T>(link, request)).value

/** The `result` in the envelope of an operation on tasks. */
export const resultOf = async <T>(link: Link, request: Sendable): Promise<T> =>
  (await send<{ result: T }>(link, request)).result
