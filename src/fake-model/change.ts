// A change of what the fake model sends, at one stage or several. Faults are changes, and so are the ways of a
// provider that others do not have.
import type { Answer } from './answer.ts'
import type { Piece } from './answer-pieces.ts'
import type { Frame, Step } from './frames.ts'
import type { ProtocolName } from './protocols/protocol.ts'
import type { Fields } from './question.ts'

/** The stages in their order. Each gets what the stage before has made, and returns what is used instead. */
export type Change = {
  /** Of what the script says. */
  answer?: (answer: Answer) => Answer
  /** Of the pieces of an answer, before a protocol writes them. */
  pieces?: (pieces: Iterable<Piece>) => Iterable<Piece>
  /** Of the events of a stream. */
  steps?: (steps: Iterable<Step>, protocol: ProtocolName) => Iterable<Step>
  /** Of the body of an answer that is not streamed. */
  body?: (body: Fields, protocol: ProtocolName) => Fields
  /** Of the bytes of any answer. */
  frames?: (frames: Iterable<Frame>) => Iterable<Frame>
  /** Of the headers of any answer. Their names are in lower case. */
  headers?: (headers: Record<string, string>) => Record<string, string>
}
