// What a protocol over HTTP gives the reader of streams (stream.ts): it turns messages into pieces of an answer.
import type { Answer, Heard, Progress } from './endpoint.ts'
import type { Fields } from './endpoint-values.ts'

/** `event`: the name of the event, if it has one. */
export type Message = { event: string | undefined; data: Fields }

export type Reader = {
  /**
   * The pieces in a message of the stream, or in a whole answer. Undefined: the message is no sign of life. Throws
   * ModelLost or ModelRefused when the message is an error.
   */
  hear: (message: Message) => Heard[] | undefined
  /** Whether the body of an answer that is not streamed is an answer at all. */
  isWhole: (body: Fields) => boolean
  progress: () => Progress
  /** The text that was held back. */
  rest: () => Heard[]
  /** The end of the answer. */
  answer: () => Omit<Answer, 'progress'>
}
