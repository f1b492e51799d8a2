// What a protocol is: how its requests are read into questions, and how answers are written.
import type { Answer } from '../answer.ts'
import type { Piece } from '../answer-pieces.ts'
import type { Fields, Question } from '../question.ts'

export const protocolNames = ['chat', 'messages', 'responses'] as const
export type ProtocolName = (typeof protocolNames)[number]

/** What an event of a stream tells, whatever its protocol: `begin` and `block` are the events around the pieces. */
export type Mark =
  | 'begin'
  | 'block'
  | 'reasoning'
  | 'seal'
  | 'text'
  | 'refusal'
  | 'call'
  | 'arguments'
  | 'finish'
  | 'usage'
  | 'done'
  | 'raw'
/** `name`: of the event, in a protocol that names events. `data`: an object is sent as JSON, a text unchanged. */
export type Event = { is: Mark; name?: string; data: unknown }

/** `number`: of the request, from which the id of the answer is made. `created`: in Unix seconds. */
export type Head = { number: number; created: number; model: string; system_fingerprint?: string }

/** What an answer is written from. */
export type Said = { answer: Answer; question: Question; head: Head; pieces: Iterable<Piece> }

export type Protocol = {
  name: ProtocolName
  title: string
  path: string
  /** Reads the body of a request. A text says what is wrong with the body. */
  read(body: Fields): Question | string
  /** The events of a streamed answer. */
  events(said: Said): Iterable<Event>
  /** The body of an answer that is not streamed. */
  whole(said: Said): Fields
  /** The body of an error. */
  error(status: number, message: string): Fields
}
