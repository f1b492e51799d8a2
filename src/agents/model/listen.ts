// Makes one call of the model: sends the body of the request, and reads the answer to its end.
import { createHash } from 'node:crypto'
import type { ModelCall } from '../../contract/agent.ts'
import type { Usage } from '../../contract/wire.ts'
import { type ModelBody, textOfBody } from '../../model-requests/protocol.ts'
import type { Asked } from '../../model-requests/request.ts'
import { checkCalls, checkExtras, createBounds } from './bounds.ts'
import type { Answer, Heard, HeardCall, Lesson, ModelEndpoint } from './endpoint.ts'
import { endOf } from './ends.ts'
import { ModelLost, ModelRefused } from './failures.ts'
import { isAboutBody } from './switches-learned.ts'
import { isTooLong } from './too-long.ts'

export type Listened = { call: ModelCall; usage?: Usage; calls: HeardCall[]; spoke: boolean }

const isMore = (last: Heard, next: Heard): boolean =>
  last.kind === 'call'
    ? next.kind === 'call' && next.call === last.call
    : next.kind === last.kind && next.opens !== true

/** Merges texts that arrived together, because it takes long to handle each word alone. */
const joined = (heard: Heard[]): Heard[] => {
  const merged: Heard[] = []
  for (const next of heard) {
    const last = merged.at(-1)
    if (last === undefined || !isMore(last, next)) {
      merged.push(next)
      continue
    }
    last.text += next.text
    if (last.kind === 'call' || next.kind === 'call') continue
    if (next.logprobs !== undefined) last.logprobs = [...(last.logprobs ?? []), ...next.logprobs]
    if (next.annotations !== undefined) last.annotations = [...(last.annotations ?? []), ...next.annotations]
  }
  return merged
}

/** Throws when an answer stopped before it was whole: text is whole at an orderly end, and calls only if it says so. */
const checkWhole = ({ progress, calls, response }: Answer, spoke: boolean): void => {
  checkCalls(calls.length)
  if (progress === 'going' && calls.length > 0) {
    throw new ModelLost("the model's answer broke off while it called a tool")
  }
  if (!spoke && calls.length === 0 && response.finish_reason === undefined) {
    throw new ModelLost("the model's answer broke off before it began")
  }
}

/** The text that was heard must not stay before a summary, so the step runs again. */
const afterText = (error: unknown): unknown => (isTooLong(error) ? new ModelLost(error.message) : error)

async function* listen(
  endpoint: ModelEndpoint,
  asked: Asked,
  body: ModelBody,
  signal: AbortSignal,
): AsyncGenerator<Heard, Listened> {
  const text = textOfBody(body)
  const digest = createHash('sha256').update(text).digest('base64url')
  const bounds = createBounds()
  const pieces = endpoint.answer(text, signal)
  for (;;) {
    const next = await pieces.next().catch(error => {
      throw bounds.characters() > 0 ? afterText(error) : error
    })
    if (!next.done) {
      yield* bounds.within(joined(next.value))
      continue
    }
    const answer = next.value
    const spoke = bounds.characters() > 0
    checkWhole(answer, spoke)
    checkExtras(answer)
    const { response, usage, calls, sentDigest } = answer
    const end = response.finish_reason === undefined ? undefined : endOf(response.finish_reason)
    const sent = sentDigest === undefined ? {} : { sent_digest: sentDigest }
    return {
      call: {
        request: { ...asked, digest, ...sent },
        response: end === undefined ? response : { ...response, end },
      },
      ...(usage === undefined ? {} : { usage }),
      calls,
      spoke,
    }
  }
}

/** A call asks again at most this often. */
const mostLessons = 32

/**
 * Asks a model, and yields the pieces of its answer as they arrive. `bodyOf` makes the body of the request. `window`
 * goes with it: the log stores both. Asks again with another body when the endpoint turns out not to take the first
 * one. Throws ModelRefused or ModelLost.
 */
export async function* ask(
  endpoint: ModelEndpoint,
  { model, ...more }: Pick<Asked, 'model' | 'window'>,
  bodyOf: (asked: Asked) => ModelBody,
  signal: AbortSignal,
): AsyncGenerator<Heard, Listened> {
  const lessons: Lesson[] = []
  for (;;) {
    const asked = { ...endpoint.asks(model), ...more }
    try {
      return yield* listen(endpoint, asked, bodyOf(asked), signal)
    } catch (error) {
      if (!(error instanceof ModelRefused)) throw error
      const lesson = lessons.length < mostLessons ? endpoint.learns(asked, error) : undefined
      if (lesson === undefined) {
        // The refusal was about this request alone, so other tasks of the model are asked as before.
        if (isAboutBody(error) && !isTooLong(error)) for (const { forget } of lessons) forget()
        throw error
      }
      lessons.push(lesson)
    }
  }
}
