// One request to a chat completions endpoint, read as it comes. Tried again when nothing was said yet and it may
// help; what the provider says of a failure is told, without the key. Everything that comes is bounded.
import type { Timers } from '../../contract/ports.ts'
import { sleep } from '../../platform/sleep.ts'
import type { Chunk } from './chunks.ts'
import { fieldsOf, listOf, wordOf } from './given.ts'
import { createListener } from './listener.ts'

export type Endpoint = { baseUrl: string; apiKey: string | undefined; model: string; silenceMs: number }

/** The provider said no, and asking again will not help, or has not helped. `status`: its HTTP status, where it was one that refused. */
export class ModelRefused extends Error {
  readonly status: number | undefined
  constructor(message: string, status?: number) {
    super(message)
    this.status = status
  }
}
/** The answer broke off: another try may go well. */
export class ModelLost extends Error {}

const tries = 4
const firstWaitMs = 500
const longestWaitMs = 60_000
const toldAtMost = 1000
const MiB = 1024 * 1024
/** Of a whole stream, with the frame around every token; of one answer in one piece, or one event; of an error. */
const longest = { stream: 128 * MiB, piece: 16 * MiB, error: 64 * 1024 }

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

/** The key in the spellings in which an endpoint may give it back. */
const withoutKey = (text: string, key: string | undefined): string => {
  if (!key) return text
  const encoded = encodeURIComponent(key)
  const small = encoded.replace(/%[0-9A-F]{2}/g, hex => hex.toLowerCase())
  const spellings = [key, encoded, small, encodeURI(key), key.replaceAll('/', '\\/')]
  return spellings.reduce((left, spelling) => left.replaceAll(spelling, '***'), text)
}
/** What a parser says quotes what it could not read. */
const reasonOf = (error: unknown): string =>
  error instanceof SyntaxError ? 'a chunk is no JSON' : (error as Error).message

const unreachable = (words: string): string =>
  words === 'bad port' ? 'HTTP clients refuse the port in MODEL_BASE_URL (bad port)' : words

const mebibytes = (bytes: number) => `${bytes / MiB} MiB`

/** The body as text: undefined when it is longer than `most` bytes. */
const textWithin = async (answer: Response, most: number): Promise<string | undefined> => {
  const decoder = new TextDecoder()
  let text = ''
  let length = 0
  for await (const bytes of answer.body ?? []) {
    length += bytes.length
    if (length > most) return undefined // leaving the loop closes the connection
    text += decoder.decode(bytes, { stream: true })
  }
  return text + decoder.decode()
}

const isRedirect = ({ status }: Response): boolean => status >= 300 && status < 400

const wordsOf = async (answer: Response): Promise<string> => {
  const text = (await textWithin(answer, longest.error).catch(() => '')) ?? 'an endless error'
  try {
    const { error, message } = fieldsOf(JSON.parse(text))
    return wordOf(error) || wordOf(fieldsOf(error).message) || wordOf(message) || text
  } catch {
    return text
  }
}

/** Aborts when something was listened for and nothing was heard for a while. */
const watchSilence = (timers: Timers, ms: number, abort: () => void) => {
  let heardAt = 0
  let cancel = () => {}
  const look = (wait: number) => {
    cancel = timers.after(wait, () => {
      const left = heardAt + ms - performance.now()
      if (left > 0) look(Math.ceil(left))
      else abort()
    })
  }
  const heard = () => {
    heardAt = performance.now()
  }
  return {
    begin() {
      heard()
      look(ms)
    },
    heard,
    end: () => cancel(),
  }
}
type Watch = ReturnType<typeof watchSilence>

export const createEndpoint = ({ baseUrl, apiKey, silenceMs }: Endpoint, timers: Timers) => {
  const url = `${baseUrl.replace(/\/+$/, '')}/chat/completions`
  const told = (text: string) => withoutKey(text, apiKey).slice(0, toldAtMost)
  const headers = {
    'content-type': 'application/json',
    accept: 'text/event-stream',
    ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
  }

  /** The answer's head, once it is a good one. */
  const ask = async (body: string, signal: AbortSignal, watch: Watch): Promise<Response> => {
    for (let attempt = 1; ; attempt++) {
      let why: string
      let retryAfter: string | null = null
      try {
        watch.begin()
        // The prompt goes to nobody that the operator has not named.
        const answer = await fetch(url, { method: 'POST', headers, body, signal, redirect: 'manual' })
        watch.heard()
        if (answer.ok) return answer
        const words = isRedirect(answer) ? 'a redirect, which is not followed' : await wordsOf(answer)
        why = told(`the model's endpoint answered ${answer.status}: ${words}`)
        if (!mayHelp(answer.status)) throw new ModelRefused(why, answer.status)
        retryAfter = answer.headers.get('retry-after')
      } catch (error) {
        if (error instanceof ModelRefused || signal.aborted) throw error
        const { cause, message } = error as Error & { cause?: Error }
        why = told(`the model's endpoint cannot be reached: ${unreachable(cause?.message || message)}`)
      }
      watch.end() // a wait that was asked for is no silence
      if (attempt === tries) throw new ModelRefused(why)
      await sleep(timers, waitBefore(attempt, retryAfter), signal)
      signal.throwIfAborted()
    }
  }

  const chunkOf = (text: string): Chunk => {
    const chunk: unknown = JSON.parse(text)
    if (typeof chunk !== 'object' || chunk === null || Array.isArray(chunk)) {
      throw new ModelLost("the model's answer broke off: a chunk is no JSON object")
    }
    const { error } = chunk as Chunk
    if (!error) return chunk as Chunk
    const words = wordOf(error) || wordOf(fieldsOf(error).message) || 'it did not say why'
    throw new ModelLost(told(`the model's endpoint failed: ${words}`))
  }
  /** Of an endpoint that does not stream. */
  const wholeOf = async (answer: Response): Promise<Chunk> => {
    const text = await textWithin(answer, longest.piece)
    if (text === undefined) throw tooLong(longest.piece)
    const isCompletion = (chunk: Chunk) => fieldsOf(listOf(chunk.choices)[0]).message !== undefined
    try {
      const chunk = chunkOf(text)
      if (isCompletion(chunk)) return chunk
      throw new SyntaxError('no completion')
    } catch (error) {
      if (error instanceof ModelLost && text.includes('"error"')) throw error
      const type = answer.headers.get('content-type') ?? 'something'
      throw new ModelRefused(
        told(`the model's endpoint gave ${type} that is no completion (is MODEL_BASE_URL right?): ${text}`),
      )
    }
  }
  const tooLong = (bytes: number) => new ModelRefused(`the model's answer is longer than ${mebibytes(bytes)}`)

  async function* read(body: string, signal: AbortSignal, watch: Watch): AsyncGenerator<Chunk[]> {
    const answer = await ask(body, signal, watch)
    if (!/event-stream/.test(answer.headers.get('content-type') ?? '')) {
      yield [await wholeOf(answer)]
      return
    }
    const decoder = new TextDecoder()
    const hear = createListener(chunkOf)
    let whole = 0
    let piece = 0
    for await (const bytes of answer.body ?? []) {
      watch.heard()
      whole += bytes.length
      piece += bytes.length
      if (whole > longest.stream) throw tooLong(longest.stream)
      const { chunks, error, done } = hear.more(decoder.decode(bytes, { stream: true }))
      if (chunks.length > 0) {
        piece = 0
        yield chunks
      }
      if (error !== undefined) throw error
      if (done) return
      if (piece > longest.piece) throw tooLong(longest.piece)
    }
    const { chunks, error } = hear.rest()
    if (chunks.length > 0) yield chunks
    if (error !== undefined) throw error
  }

  /** The chunks of the answer to a body, as many at once as came at once. Throws ModelRefused or ModelLost. */
  async function* chunks(body: string, signal: AbortSignal): AsyncGenerator<Chunk[]> {
    const silence = new AbortController()
    const watch = watchSilence(timers, silenceMs, () => silence.abort())
    try {
      yield* read(body, AbortSignal.any([signal, silence.signal]), watch)
    } catch (error) {
      if (error instanceof ModelLost || error instanceof ModelRefused || signal.aborted) throw error
      throw new ModelLost(
        silence.signal.aborted
          ? `the model's endpoint was silent for ${silenceMs / 1000} s`
          : told(`the model's answer broke off: ${reasonOf(error)}`),
      )
    } finally {
      watch.end()
    }
  }

  return { chunks }
}
