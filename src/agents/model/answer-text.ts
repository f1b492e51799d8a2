// Reads the body of an answer as text, up to a limit.
import { ModelRefused } from './failures.ts'

const MiB = 1024 * 1024
/**
 * The greatest lengths in bytes. `stream`: of a whole event stream, with the JSON around every token. `piece`: of one
 * event, or of an answer that is not streamed. `error`: of the description of an error.
 */
export const longest = { stream: 128 * MiB, piece: 16 * MiB, error: 64 * 1024 }

export const tooLong = (bytes: number) =>
  new ModelRefused(`the model's answer is longer than ${bytes / MiB} MiB`)

/** The body as text; undefined when it is longer than `max` bytes. */
export const textWithin = async (answer: Response, max: number): Promise<string | undefined> => {
  const decoder = new TextDecoder()
  let text = ''
  let length = 0
  for await (const bytes of answer.body ?? []) {
    length += bytes.length
    if (length > max) return undefined // leaving the loop closes the connection
    text += decoder.decode(bytes, { stream: true })
  }
  return text + decoder.decode()
}
