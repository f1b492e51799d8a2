// Reads the answer of an endpoint over HTTP as it arrives: an event stream or one JSON text, whatever its media type
// says. The size of everything that arrives is limited.
import { longest, tooLong } from './answer-text.ts'
import type { Answer, Heard } from './endpoint.ts'
import { ModelLost, ModelRefused } from './failures.ts'
import { createModelListener } from './listener.ts'
import { messagesIn } from './messages-in.ts'
import type { Message, Reader } from './reader.ts'
import { reasonIn, reasonOfBody } from './reasons.ts'
import type { SilenceWatch } from './silence.ts'
import { failureFor } from './stream-errors.ts'

/** So many characters of an answer are kept, to tell what it was if it was none. */
const sampleLength = 1000

/** The beginnings of the lines of a stream. */
const fields = [':', 'data:', 'event:', 'id:', 'retry:', 'error:']

/** The failure of an answer in which there is none: it broke off if it begins like a stream, or has no text. */
const noAnswer = (type: string | null, text: string): ModelRefused | ModelLost => {
  const isStream = type === null || /event-stream/i.test(type)
  const first = text.trim()
  if (fields.some(field => first.startsWith(field) || (isStream && field.startsWith(first)))) {
    return new ModelLost("the model's answer broke off before it began")
  }
  const given = type ?? 'something without a media type'
  return new ModelRefused(
    `the model's endpoint gave ${given} that is no answer (is MODEL_BASE_URL right?): ${first === '' ? 'nothing' : reasonOfBody(text, 200)}`,
  )
}

/**
 * An answer that is no event stream: one JSON text, or the messages of a stream in a line each. `isOver`: it says itself
 * that it is whole.
 */
const hearWhole = (
  text: string,
  type: string | null,
  reader: Reader,
): { heard: Heard[]; isOver: boolean } => {
  if (!/^\s*[[{]/.test(text)) throw noAnswer(type, text)
  const messages = messagesIn(text)
  const [first = {}] = messages
  const why = reasonIn(first)
  if (why !== undefined) throw failureFor(why)
  const isWhole = reader.isWhole(first)
  if (messages.length === 1 && !isWhole) throw noAnswer(type, text)
  const heard = messages.map(data => reader.hear({ event: undefined, data }))
  if (heard.every(each => each === undefined)) throw noAnswer(type, text)
  return { heard: heard.flatMap(each => each ?? []), isOver: isWhole || text.trimEnd().endsWith('[DONE]') }
}

/**
 * Yields the pieces of an answer. Returns whether the endpoint has said that nothing follows. `watch` is told of every
 * sign of life: comments, empty events and the like are none.
 */
export async function* readAnswer(
  answer: Response,
  reader: Reader,
  watch: SilenceWatch,
): AsyncGenerator<Heard[], boolean> {
  const type = answer.headers.get('content-type')
  const decoder = new TextDecoder()
  const listener = createModelListener()
  /** The text of an answer that is no stream; undefined: it is a stream. `null`: not known yet. */
  let whole: string | null | undefined = null
  let sample = ''
  let isHeard = false
  let length = 0
  let piece = 0

  /** The pieces in messages, and the error that comes after them. */
  const hear = (messages: Message[]): { heard: Heard[]; error?: unknown } => {
    const heard: Heard[] = []
    for (const message of messages) {
      isHeard = true
      try {
        const pieces = reader.hear(message)
        if (pieces === undefined) continue
        watch.heard()
        for (const each of pieces) heard.push(each)
      } catch (error) {
        return { heard, error }
      }
    }
    if (reader.progress() === 'ended') watch.lastWords()
    return { heard }
  }

  for await (const bytes of answer.body ?? []) {
    length += bytes.length
    piece += bytes.length
    if (length > longest.stream) throw tooLong(longest.stream)
    const text = decoder.decode(bytes, { stream: true })
    if (sample.length < sampleLength) sample += text.slice(0, sampleLength)
    if (whole === null) {
      const first = sample.trimStart()[0]
      if (first !== undefined) whole = '{[<"'.includes(first) ? '' : undefined
    }
    if (typeof whole === 'string') {
      if (text.trim() !== '') watch.heard()
      whole += text
    } else {
      const { messages, error, done } = listener.more(text)
      if (messages.length > 0) piece = 0
      const said = hear(messages)
      if (said.heard.length > 0) yield said.heard
      if (said.error !== undefined) throw said.error
      if (error !== undefined) throw error
      if (done || reader.progress() === 'over') return true
    }
    if (piece > longest.piece) throw tooLong(longest.piece)
  }
  if (typeof whole === 'string') {
    const { heard, isOver } = hearWhole(whole, type, reader)
    yield heard
    return isOver
  }
  const { messages, error, done } = listener.rest()
  const said = hear(messages)
  if (said.heard.length > 0) yield said.heard
  if (said.error !== undefined) throw said.error
  if (error !== undefined) throw error
  if (!isHeard) throw noAnswer(type, sample)
  return done || reader.progress() === 'over'
}

/** The end of an answer that was read. */
export const answerOf = (reader: Reader, isOver: boolean): Answer => ({
  ...reader.answer(),
  progress: isOver ? 'over' : reader.progress(),
})
