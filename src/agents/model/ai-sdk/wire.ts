// The fetch that a provider package is given for one call. Requests are repeated, limited and watched as those of our
// own endpoints are, and the bytes that go over the wire are digested.
import { createHash } from 'node:crypto'
import { longest, tooLong } from '../answer-text.ts'
import type { Persist } from '../ask.ts'
import type { SilenceWatch } from '../silence.ts'

const digestOf = (body: unknown): string | undefined =>
  typeof body === 'string' || body instanceof Uint8Array
    ? createHash('sha256').update(body).digest('base64url')
    : undefined

/** So many characters at the end of a stream are searched for the event that ends it. */
const endLength = 40
const isEnd = (text: string): boolean => /(^|\n)data: ?\[DONE\]\s*$/.test(text)

export type Wire = ReturnType<typeof createWire>

/** `isStreamed`: whether the answer is asked for as a stream. */
export const createWire = (
  persist: Persist,
  signal: AbortSignal,
  watch: SilenceWatch,
  isStreamed: boolean,
) => {
  let sent: string | undefined
  let received: string | undefined
  let failure: unknown
  let isAnswered = false
  /** Bytes since the package has made a part of them. */
  let piece = 0

  /** The bytes of an answer as they pass. The end of a stream is not waited for after the event that says it. */
  const watched = (type: string | null): TransformStream<Uint8Array, Uint8Array> => {
    const hash = createHash('sha256')
    const isStream = /event-stream/i.test(type ?? '')
    let length = 0
    let tail = ''
    const end = () => {
      received ??= hash.digest('base64url')
    }
    return new TransformStream({
      transform(bytes, controller) {
        length += bytes.length
        piece += bytes.length
        const max =
          length > longest.stream ? longest.stream : piece > longest.piece ? longest.piece : undefined
        if (max !== undefined) {
          failure = tooLong(max)
          throw failure
        }
        hash.update(bytes)
        // In a stream, the parts that the package makes are the signs of life, since comments are none.
        if (!isStreamed) watch.heard()
        controller.enqueue(bytes)
        tail = (tail + Buffer.from(bytes.subarray(-endLength)).toString('latin1')).slice(-endLength)
        if (!isStream || !isEnd(tail)) return
        end()
        controller.terminate()
      },
      flush: end,
    })
  }

  const send: typeof fetch = async (input, init) => {
    sent = digestOf(init?.body) ?? sent
    try {
      // Redirects are not followed, since the prompt may go only to the endpoint that the operator named.
      const request = (own: AbortSignal) => fetch(input, { ...init, signal: own, redirect: 'manual' })
      const answer = await persist(request, signal, watch)
      isAnswered = true
      received = undefined
      const { status, statusText, headers } = answer
      const body = answer.body?.pipeThrough(watched(headers.get('content-type'))) ?? null
      return new Response(body, { status, statusText, headers })
    } catch (error) {
      failure = error
      throw error
    }
  }

  return {
    fetch: send,
    /** Says that the package has made a part of what came. */
    heard(): void {
      piece = 0
    },
    sent: () => sent,
    received: () => received,
    /** Why the fetch has failed. A package may tell it in other words. */
    failure: () => failure,
    isAnswered: () => isAnswered,
  }
}
