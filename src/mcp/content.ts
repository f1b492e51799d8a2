// Converts a server's result to the parts of a tool_result: texts, images, audio and files. Whatever has another form
// is shown as JSON, so nothing that came is lost.
import type { ContentPart, MessageContent } from '../contract/wire.ts'
import { maxText } from './limits.ts'
import { type Fields, isFields } from './reading/heard.ts'

/** The result of a call. */
export type CallResult = { content: MessageContent; isError: boolean }

const note = '[Cut: the result holds more than 1 MiB of text]'

const text = (value: string): ContentPart => ({ type: 'text', text: value })
const asJson = (value: unknown): ContentPart => text(JSON.stringify(value) ?? '')
const textOf = (value: unknown): ContentPart => (typeof value === 'string' ? text(value) : asJson(value))

/** The first characters of common formats in base64. */
const beginnings = { iVBOR: 'image/png', '/9j/': 'image/jpeg', R0lG: 'image/gif', UklGR: 'image/webp' }
const typeOf = (data: string, otherwise: string): string =>
  Object.entries(beginnings).find(([beginning]) => data.startsWith(beginning))?.[1] ?? otherwise

const dataUrl = (mimeType: unknown, data: string, otherwise: string): string =>
  data.startsWith('data:')
    ? data
    : `data:${typeof mimeType === 'string' ? mimeType : typeOf(data, otherwise)};base64,${data.replace(/\s+/g, '')}`
const image = (url: string): ContentPart => ({ type: 'image_url', image_url: { url } })
const formats: Record<string, string> = { mpeg: 'mp3', 'x-wav': 'wav', wave: 'wav' }
const format = (mimeType: unknown): string => {
  const subtype = typeof mimeType === 'string' ? mimeType.replace(/^audio\//, '') : 'wav'
  return formats[subtype] ?? subtype
}
const lastOf = (uri: string): string => uri.split(/[/\\]/).findLast(part => part !== '') ?? uri

const resourcePart = (resource: Fields): ContentPart | undefined => {
  const { text: words, blob, uri, mimeType } = resource
  if (typeof words === 'string') return text(words)
  if (typeof blob !== 'string') return undefined
  const file_data = dataUrl(mimeType, blob, 'application/octet-stream')
  return typeof uri === 'string'
    ? { type: 'file', file: { file_url: uri, filename: lastOf(uri), file_data } }
    : { type: 'file', file: { filename: 'file', file_data } }
}

/** The part of a block of a known type; undefined: a field that it needs is missing. */
const knownPart = ({
  type,
  data,
  mimeType,
  resource,
  uri,
  name,
  ...rest
}: Fields): ContentPart | undefined => {
  switch (type) {
    case undefined:
    case null:
    case 'text':
      return 'text' in rest ? textOf(rest.text ?? '') : undefined
    case 'image': {
      // Some servers send images as the interface of a model wants them.
      const source: Fields = isFields(rest.source) ? rest.source : { data, media_type: mimeType }
      return typeof source.data === 'string'
        ? image(dataUrl(source.media_type, source.data, 'image/png'))
        : undefined
    }
    case 'audio':
      return typeof data === 'string'
        ? { type: 'input_audio', input_audio: { data, format: format(mimeType) } }
        : undefined
    case 'resource_link':
      return typeof uri === 'string'
        ? { type: 'file', file: { file_url: uri, filename: typeof name === 'string' ? name : lastOf(uri) } }
        : undefined
    case 'resource':
      return isFields(resource) ? resourcePart(resource) : undefined
  }
  return undefined
}

const partsOf = (block: unknown): ContentPart[] => {
  if (block === null || block === undefined) return []
  if (!isFields(block)) return [textOf(block)]
  return [knownPart(block) ?? asJson(block)]
}

/** Cuts the texts at the limit, and adds a note where they were cut. */
const cut = (parts: ContentPart[]): ContentPart[] => {
  let room = maxText
  return parts.flatMap((part): ContentPart[] => {
    if (!isText(part)) return [part]
    if (room < 0) return []
    const before = room
    room -= part.text.length
    if (room >= 0) return [part]
    const kept = part.text.slice(0, before).replace(/[\ud800-\udbff]$/, '')
    room = -1
    return [text(`${kept}\n${note}`)]
  })
}

const isText = (part: ContentPart): part is ContentPart & { text: string } =>
  typeof part === 'object' && 'text' in part
const saysSomething = (part: ContentPart): boolean => isText(part) && part.text.trim() !== ''

/** The parts of a result that has none of the protocol's fields. */
const otherParts = ({ toolResult, ...rest }: Fields): ContentPart[] => {
  if (toolResult !== undefined) return [toolResult].flat().flatMap(partsOf)
  return Object.keys(rest).length === 0 ? [] : [asJson(rest)]
}

/** A result that has only structured content becomes its JSON. */
const partsIn = (result: unknown): ContentPart[] => {
  if (!isFields(result)) return [result].flat().flatMap(partsOf)
  const { content, structuredContent, isError: _, _meta, resultType, ...rest } = result
  const parts = [content ?? []].flat().flatMap(partsOf)
  if (structuredContent !== undefined && structuredContent !== null) {
    if (!parts.some(saysSomething)) return [...parts.filter(part => !isText(part)), asJson(structuredContent)]
  }
  return content === undefined ? [...parts, ...otherParts(rest)] : parts
}

/** A single text is a string; anything else is a list. */
const contentOf = (parts: ContentPart[]): MessageContent => {
  const kept = cut(parts)
  const [first] = kept
  if (first === undefined) return ''
  return kept.length === 1 && isText(first) ? first.text : kept
}

/** Reads the result of `tools/call`, as a server has sent it. */
export const readResult = (result: unknown): CallResult => ({
  content: contentOf(partsIn(result)),
  isError: isFields(result) && (result.isError === true || result.isError === 'true'),
})

/** The content of a failed call. `masked` removes secrets. A failure without any content names the tool. */
export const failedContent = (
  content: MessageContent,
  tool: string,
  masked: (text: string) => string,
): MessageContent => {
  if (typeof content === 'string') return masked(content).trim() || `the tool "${tool}" failed`
  return content.map(part => (isText(part) ? text(masked(part.text)) : part))
}

/** The text in a content. */
export const wordsOf = (content: MessageContent): string =>
  typeof content === 'string'
    ? content
    : content.flatMap(part => (isText(part) ? [part.text] : [])).join('\n')
