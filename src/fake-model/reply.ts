// Makes what is sent from what a script says: the answer is cut into pieces, the protocol writes them, and each change,
// such as a fault, has its turn at every stage.
import type { Answer } from './answer.ts'
import { type Piece, piecesOf } from './answer-pieces.ts'
import type { Change } from './change.ts'
import { type End, type Frame, framesOf, type Step } from './frames.ts'
import type { Event, Head, Protocol, Said } from './protocols/protocol.ts'
import { type Fields, fieldsOf, type Question } from './question.ts'

/** `delay`: milliseconds before the head is sent. */
export type Reply = {
  delay: number
  status: number
  headers: Record<string, string>
  frames: Iterable<Frame>
}

/** A value after each change, in their order. */
const changed = <Value>(value: Value, changes: (((before: Value) => Value) | undefined)[]): Value =>
  changes.reduce((before, change) => change?.(before) ?? before, value)

const endOf = ({ cut, hang }: Answer): End => (hang ? 'open' : cut ? 'break' : 'close')

/** The chunks of a script as events. Messages and Responses name an event after its type. */
const rawEvents = (chunks: unknown[], protocol: Protocol): Event[] => {
  const events = chunks.map((data): Event => {
    const { type } = fieldsOf(data)
    return {
      is: 'raw',
      data,
      ...(protocol.name === 'chat' || typeof type !== 'string' ? {} : { name: type }),
    }
  })
  return protocol.name === 'chat' ? [...events, { is: 'done', data: '[DONE]' }] : events
}

function* streamed(events: Iterable<Event>, answer: Answer): Generator<Step> {
  const end = endOf(answer)
  const ends = end === 'close' && answer.done !== false
  for (const event of events) if (ends || event.is !== 'done') yield event
  if (end !== 'close') yield { end }
}

const whole = (body: Fields, answer: Answer): Frame[] => {
  const text = JSON.stringify(body)
  const end = endOf(answer)
  return end === 'close' ? [text] : [text.slice(0, text.length / 2), { end }]
}

const errorReply = (protocol: Protocol, error: NonNullable<Answer['error']>): Omit<Reply, 'delay'> => {
  const { status, message = `the script says ${status}`, headers = {}, body } = error
  const type = body === undefined ? 'application/json' : body.startsWith('<') ? 'text/html' : 'text/plain'
  const typed = body === '' ? {} : { 'content-type': type }
  const named = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  )
  return {
    status,
    headers: { ...typed, ...named },
    frames: [body ?? JSON.stringify(protocol.error(status, message))],
  }
}

const answerReply = (protocol: Protocol, said: Said, changes: Change[]): Omit<Reply, 'delay'> => {
  const { answer, question } = said
  const { name } = protocol
  if (question.stream || answer.chunks !== undefined) {
    const events = answer.chunks === undefined ? protocol.events(said) : rawEvents(answer.chunks, protocol)
    const steps = changed<Iterable<Step>>(
      streamed(events, answer),
      changes.map(({ steps: change }) => change && (before => change(before, name))),
    )
    return {
      status: 200,
      headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' },
      frames: framesOf(steps, answer.token_ms ?? 0),
    }
  }
  const body = changed(
    protocol.whole(said),
    changes.map(({ body: change }) => change && (before => change(before, name))),
  )
  return { status: 200, headers: { 'content-type': 'application/json' }, frames: whole(body, answer) }
}

/** The reply to a question. `newCallId` returns the id of a call for which the script names none. */
export const replyTo = (
  protocol: Protocol,
  asked: { answer: Answer; question: Question; head: Head; newCallId: () => string },
  changes: Change[],
): Reply => {
  const answer = changed(
    asked.answer,
    changes.map(change => change.answer),
  )
  const pieces = changed<Iterable<Piece>>(
    piecesOf(answer, asked.newCallId),
    changes.map(change => change.pieces),
  )
  const said: Said = { answer, question: asked.question, head: asked.head, pieces }
  const { headers, frames, status } =
    answer.error === undefined ? answerReply(protocol, said, changes) : errorReply(protocol, answer.error)
  return {
    delay: answer.delay_ms ?? 0,
    status,
    headers: changed(
      headers,
      changes.map(change => change.headers),
    ),
    frames: changed(
      frames,
      changes.map(change => change.frames),
    ),
  }
}
