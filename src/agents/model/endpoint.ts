// One request to a chat completions endpoint, read as it comes. Tried again when nothing was said yet and it may
// help; what the provider says of a failure is told, without the key.
import { createParser } from 'eventsource-parser'
import type { Timers } from '../../contract/ports.ts'
import { sleep } from '../sleep.ts'
import type { Chunk } from './chunks.ts'

export type Endpoint = { baseUrl: string; apiKey: string | undefined; model: string }

/** The provider said no, and asking again will not help. */
export class ModelRefused extends Error {}
/** The connection broke, or the endpoint was busy to the last: another try may go well. */
export class ModelLost extends Error {}

const tries = 4
const firstWaitMs = 500
const longestWaitMs = 60_000
const toldAtMost = 1000

const mayHelp = (status: number): boolean =>
  status === 408 || status === 409 || status === 429 || status >= 500

/** Milliseconds until the next try: what the endpoint asks for, else twice as long each time. */
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

const wordsOf = async (answer: Response): Promise<string> => {
  const text = await answer.text().catch(() => '')
  try {
    const { error, message } = JSON.parse(text) as { error?: { message?: string } | string; message?: string }
    return (typeof error === 'string' ? error : error?.message) ?? message ?? text
  } catch {
    return text
  }
}

export const createEndpoint = ({ baseUrl, apiKey }: Endpoint, timers: Timers) => {
  const url = `${baseUrl.replace(/\/+$/, '')}/chat/completions`
  const told = (text: string) => (apiKey ? text.replaceAll(apiKey, '***') : text).slice(0, toldAtMost)

  /** The answer's head, once it is a good one. */
  const ask = async (body: string, signal: AbortSignal): Promise<Response> => {
    for (let attempt = 1; ; attempt++) {
      let why: string
      let retryAfter: string | null = null
      try {
        const answer = await fetch(url, {
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            accept: 'text/event-stream',
            ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
          },
          body,
          signal,
        })
        if (answer.ok) return answer
        why = told(`the model's endpoint answered ${answer.status}: ${await wordsOf(answer)}`)
        if (!mayHelp(answer.status)) throw new ModelRefused(why)
        retryAfter = answer.headers.get('retry-after')
      } catch (error) {
        if (error instanceof ModelRefused || signal.aborted) throw error
        const { cause, message } = error as Error & { cause?: Error }
        why = told(`the model's endpoint cannot be reached: ${cause?.message || message}`)
      }
      if (attempt === tries) throw new ModelLost(why)
      await sleep(timers, waitBefore(attempt, retryAfter), signal)
      signal.throwIfAborted()
    }
  }

  const errorIn = ({ error }: Chunk): string | undefined =>
    error ? told(typeof error === 'string' ? error : (error.message ?? 'it did not say why')) : undefined

  /** Every chunk of the answer. Throws ModelRefused or ModelLost. */
  async function* chunks(body: object, signal: AbortSignal): AsyncGenerator<Chunk> {
    const answer = await ask(JSON.stringify(body), signal)
    if (!/event-stream/.test(answer.headers.get('content-type') ?? '')) {
      yield (await answer.json()) as Chunk // an endpoint that does not stream
      return
    }
    let ready: string[] = []
    const parser = createParser({ onEvent: ({ data }) => ready.push(data) })
    const decoder = new TextDecoder()
    try {
      for await (const bytes of answer.body ?? []) {
        parser.feed(decoder.decode(bytes, { stream: true }))
        const events = ready
        ready = []
        for (const data of events) {
          if (data.trim() === '[DONE]') return
          const chunk = JSON.parse(data) as Chunk
          const error = errorIn(chunk)
          if (error !== undefined) throw new ModelLost(`the model's endpoint failed: ${error}`)
          yield chunk
        }
      }
    } catch (error) {
      if (error instanceof ModelLost || signal.aborted) throw error
      throw new ModelLost(told(`the model's answer broke off: ${(error as Error).message}`))
    }
  }

  return { chunks }
}
