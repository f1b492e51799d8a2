// What a request asks, in one form for all protocols.

/** `from`: user, tool, or another role. `images`: how many there are. */
export type Newest = { from: string; text: string; images: number }

export type Question = {
  model: string | undefined
  stream: boolean
  /** Whether a stream reports its usage. */
  usage: boolean
  newest: Newest
  /** The names of the tools that the model may call. */
  tools: string[]
  /** The JSON Schema that the answer must fit; undefined: the answer is a free text. */
  schema: unknown
  /** Whether the request wants reasoning. */
  thinks: boolean
  /** Whether reasoning may be sent sealed, so that the client can send it back. */
  sealed: boolean
  /** The JSON text of the prompt. Its length gives the usage. */
  prompt: string
}

export type Fields = Record<string, unknown>
/** The fields of an object; no fields if the value is no object. */
export const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}
export const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])
export const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

/** The text of a content, which is a string or a list of parts, each a string or an object with `text`. */
export const contentText = (content: unknown): string =>
  typeof content === 'string'
    ? content
    : listOf(content)
        .map(part => textOf(part) ?? textOf(fieldsOf(part).text) ?? '')
        .join('\n')

const imageTypes = ['image', 'image_url', 'input_image']
/** How many images a content has, also inside its parts, such as the results of tools. */
export const imagesIn = (content: unknown): number =>
  listOf(content).reduce<number>((count, part) => {
    const { type, content: inner } = fieldsOf(part)
    return count + (imageTypes.includes(String(type)) ? 1 : 0) + imagesIn(inner)
  }, 0)

/** The schema for a request that asks for JSON and has no schema. */
export const anyObject = { type: 'object', properties: { answer: {} } }

/** Why a list of messages cannot be read; undefined if it can. */
export const problemOfList = (name: string, list: unknown): string | undefined => {
  if (!Array.isArray(list) || list.length === 0) return `${name} must be a list that is not empty`
  return list.some(entry => typeof entry !== 'object' || entry === null)
    ? `each of ${name} must be an object`
    : undefined
}
