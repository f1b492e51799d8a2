// Sends a request to a chat completions endpoint and reads the answer as it arrives. Repeats the request only while
// nothing of the answer was read and another try may help. The size of everything that arrives is limited.
import type { Timers } from '../../contract/ports.ts'
import { longest, tooLong } from './answer-text.ts'
import { createAsk } from './ask.ts'
import { chunkOf, wholeOf } from './chunk-text.ts'
import type { Chunk } from './chunks.ts'
import { breakOf, ModelLost, ModelRefused, type Redact, redactor } from './failures.ts'
import { createListener } from './listener.ts'
import { type SilenceWatch, watchSilence } from './silence.ts'

export type Endpoint = { baseUrl: string; apiKey: string | undefined; model: string; silenceMs: number }

/** The chunks of an event stream. Throws when one event, or the whole stream, is too long. */
async function* streamed(answer: Response, watch: SilenceWatch, redact: Redact): AsyncGenerator<Chunk[]> {
  const decoder = new TextDecoder()
  const hear = createListener(text => chunkOf(text, redact))
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

const isEventStream = ({ headers }: Response): boolean =>
  /event-stream/.test(headers.get('content-type') ?? '')

export const createEndpoint = ({ baseUrl, apiKey, silenceMs }: Endpoint, timers: Timers) => {
  const redact = redactor(apiKey)
  const ask = createAsk({ url: `${baseUrl.replace(/\/+$/, '')}/chat/completions`, apiKey, redact }, timers)

  /** The chunks of the answer, in the groups in which they arrive. Throws ModelRefused or ModelLost. */
  async function* chunks(body: string, signal: AbortSignal): AsyncGenerator<Chunk[]> {
    const silence = new AbortController()
    const watch = watchSilence(timers, silenceMs, () => silence.abort())
    try {
      const answer = await ask(body, AbortSignal.any([signal, silence.signal]), watch)
      if (isEventStream(answer)) yield* streamed(answer, watch, redact)
      else yield [await wholeOf(answer, redact)]
    } catch (error) {
      if (error instanceof ModelLost || error instanceof ModelRefused || signal.aborted) throw error
      throw new ModelLost(
        silence.signal.aborted
          ? `the model's endpoint was silent for ${silenceMs / 1000} s`
          : redact(`the model's answer broke off: ${breakOf(error)}`),
      )
    } finally {
      watch.end()
    }
  }

  return { chunks }
}
export type Chunks = ReturnType<typeof createEndpoint>['chunks']
