// An endpoint over HTTP: sends a body, and reads the answer as it arrives. Repeats the request only while nothing of
// the answer was read and another try may help.
import type { Timers } from '../../contract/ports.ts'
import { createAskModel } from './ask.ts'
import type { Answer, Heard, ModelEndpoint } from './endpoint.ts'
import { ModelLost, ModelRefused, redactor } from './failures.ts'
import type { Reader } from './reader.ts'
import type { SilenceWatch } from './silence.ts'
import { watchSilence } from './silence.ts'
import { answerOf, readAnswer } from './stream.ts'

/** `secrets`: texts that no message shows. `createReader` makes the reader of one answer. */
type HttpEndpoint = {
  url: string
  headers: Record<string, string>
  secrets: readonly string[]
  silenceMs: number
  createReader: () => Reader
}

/** What is outside of the process: the network, and a steady clock in milliseconds. */
export type Outside = { fetch: typeof fetch; now: () => number }
const outsideHere = (): Outside => ({ fetch, now: () => performance.now() })

export const createHttpEndpoint = (
  { url, headers, secrets, silenceMs, createReader }: HttpEndpoint,
  timers: Timers,
  outside: Outside = outsideHere(),
): ModelEndpoint['answer'] => {
  const redact = redactor(secrets)
  const ask = createAskModel({ url, headers, redact, fetch: outside.fetch }, timers)
  const silent = `the model's endpoint was silent for ${silenceMs / 1000} s`

  const lost = (error: unknown): ModelLost =>
    new ModelLost(
      redact(
        error instanceof ModelLost
          ? error.message
          : `the model's answer broke off: ${(error as Error).message}`,
      ),
    )

  /** Reads the answer. An answer that has ended stays whole if the connection breaks, or stays open, afterwards. */
  async function* read(
    answer: Response,
    reader: Reader,
    watch: SilenceWatch,
    aborted: () => boolean,
  ): AsyncGenerator<Heard[], Answer> {
    let isOver = false
    try {
      isOver = yield* readAnswer(answer, reader, watch)
    } catch (error) {
      if (error instanceof ModelRefused || aborted()) throw error
      if (reader.progress() !== 'ended') throw error
    }
    yield reader.rest()
    return answerOf(reader, isOver)
  }

  return async function* (body, signal) {
    const silence = new AbortController()
    const watch = watchSilence(timers, silenceMs, () => silence.abort(), outside.now)
    try {
      const answer = await ask(body, AbortSignal.any([signal, silence.signal]), watch)
      return yield* read(answer, createReader(), watch, () => signal.aborted)
    } catch (error) {
      if (error instanceof ModelRefused) {
        throw new ModelRefused(redact(error.message), error.status, error.words)
      }
      if (signal.aborted) throw error
      throw silence.signal.aborted && !(error instanceof ModelLost) ? new ModelLost(silent) : lost(error)
    } finally {
      watch.end()
    }
  }
}
