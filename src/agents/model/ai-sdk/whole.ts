// An answer that was not streamed, as the parts of a stream.
import { type Fields, fieldsOf, listOf, wordOf } from '../endpoint-values.ts'

const partsOf = (value: unknown, nth: number): Fields[] => {
  const { type, text, providerMetadata, ...content } = fieldsOf(value)
  if (type !== 'text' && type !== 'reasoning') return [fieldsOf(value)]
  const id = String(nth)
  const metadata = providerMetadata === undefined ? {} : { providerMetadata }
  return [
    { ...content, type: `${type}-start`, id },
    { type: `${type}-delta`, id, delta: wordOf(text) },
    { type: `${type}-end`, id, ...metadata },
  ]
}

export const partsOfWhole = (value: unknown): Fields[] => {
  const { content, finishReason, usage, warnings, response } = fieldsOf(value)
  const { id, modelId } = fieldsOf(response)
  return [
    { type: 'stream-start', warnings },
    { type: 'response-metadata', id, modelId },
    ...listOf(content).flatMap(partsOf),
    { type: 'finish', finishReason, usage },
  ]
}
