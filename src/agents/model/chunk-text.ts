// Parses chunks, and turns whatever an endpoint sends in place of a chunk into a failure.
import { longest, textWithin, tooLong } from './answer-text.ts'
import type { Chunk } from './chunks.ts'
import { fieldsOf, listOf, wordOf } from './endpoint-values.ts'
import { ModelLost, ModelRefused, type Redact } from './failures.ts'

/** Throws ModelLost when the text is an error or not an object, SyntaxError when it is not JSON. */
export const chunkOf = (text: string, redact: Redact): Chunk => {
  const chunk: unknown = JSON.parse(text)
  if (typeof chunk !== 'object' || chunk === null || Array.isArray(chunk)) {
    throw new ModelLost("the model's answer broke off: a chunk is no JSON object")
  }
  const { error } = chunk as Chunk
  if (!error) return chunk as Chunk
  const words = wordOf(error) || wordOf(fieldsOf(error).message) || 'it did not say why'
  throw new ModelLost(redact(`the model's endpoint failed: ${words}`))
}

const isCompletion = (chunk: Chunk) => fieldsOf(listOf(chunk.choices)[0]).message !== undefined

/** The whole answer of an endpoint that does not stream, as one chunk. */
export const wholeOf = async (answer: Response, redact: Redact): Promise<Chunk> => {
  const text = await textWithin(answer, longest.piece)
  if (text === undefined) throw tooLong(longest.piece)
  try {
    const chunk = chunkOf(text, redact)
    if (isCompletion(chunk)) return chunk
    throw new SyntaxError('no completion')
  } catch (error) {
    if (error instanceof ModelLost && text.includes('"error"')) throw error
    const type = answer.headers.get('content-type') ?? 'something'
    throw new ModelRefused(
      redact(`the model's endpoint gave ${type} that is no completion (is MODEL_BASE_URL right?): ${text}`),
    )
  }
}
