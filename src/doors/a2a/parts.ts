// Parts of messages: those of A2A as content of a task, and content of a task as parts.
import type { A2APart } from '../../contract/a2a/objects.ts'
import type { ContentPart, MessageContent } from '../../contract/wire.ts'
import { A2AProblem, wrongParameter } from './errors.ts'

/** The media types of files that agents take. Texts and data may have any. */
export const inputModes = [
  'text/plain',
  'application/json',
  'application/pdf',
  'text/csv',
  'text/html',
  'text/markdown',
  'image/gif',
  'image/jpeg',
  'image/png',
  'image/webp',
  'audio/mpeg',
  'audio/wav',
]
export const outputModes = ['text/plain', 'application/json']

const kinds = ['text', 'raw', 'url', 'data'] as const
const bareType = (mediaType: string): string => (mediaType.split(';', 1)[0] ?? '').trim().toLowerCase()

/** The type of a file. Without one, it is a text. */
const typeOf = ({ mediaType }: A2APart): string => {
  const type = mediaType ? bareType(mediaType) : 'text/plain'
  if (inputModes.includes(type)) return type
  const message = `The agent takes no part of the type ${JSON.stringify(type.slice(0, 100))}: it takes ${inputModes.join(', ')}`
  throw new A2AProblem('CONTENT_TYPE_NOT_SUPPORTED', message, { mediaType: type.slice(0, 100) })
}

const isBase64 = (text: string): boolean => /^[A-Za-z0-9+/_-]*={0,2}$/.test(text)
/** Base64 of the usual alphabet. ProtoJSON allows that of URLs, too. */
const usual = (raw: string): string => raw.replaceAll('-', '+').replaceAll('_', '/')

const fileOf = (part: A2APart, at: (string | number)[]): ContentPart => {
  const type = typeOf(part)
  const { raw = '', url, filename = 'file' } = part
  if (!isBase64(raw)) throw wrongParameter([...at, 'raw'], 'Input should be base64')
  const [family = '', kind = ''] = type.split('/')
  const address = url ?? `data:${type};base64,${usual(raw)}`
  if (family === 'image') return { type: 'input_image', image_url: { url: address } }
  if (family === 'audio' && url === undefined) {
    return { type: 'input_audio', input_audio: { data: usual(raw), format: kind === 'mpeg' ? 'mp3' : kind } }
  }
  return {
    type: 'file',
    file: url === undefined ? { file_data: address, filename } : { file_url: url, filename },
  }
}

const contentPart = (part: A2APart, at: (string | number)[]): ContentPart => {
  const [kind, ...more] = kinds.filter(name => part[name] !== undefined)
  if (kind === undefined || more.length > 0)
    throw wrongParameter(at, `A part has exactly one of ${kinds.join(', ')}`)
  if (kind === 'text') return { type: 'text', text: part.text ?? '' }
  if (kind === 'data') return { type: 'text', text: JSON.stringify(part.data) }
  return fileOf(part, at)
}

const isText = (part: ContentPart): part is ContentPart & { text: string } =>
  typeof part === 'object' && 'text' in part

/** The content of parts. `at`: their place in the parameters. A single text is the content itself. */
export const contentOf = (parts: readonly A2APart[], at: (string | number)[]): MessageContent => {
  const content = parts.map((part, n) => contentPart(part, [...at, n]))
  const [first] = content
  return content.length === 1 && first !== undefined && isText(first) ? first.text : content
}

const dataUrl = /^data:([^;,]*)(?:;[^,]*)?;base64,(.*)$/s
const addressed = (url: string): A2APart => {
  const [, mediaType, raw] = dataUrl.exec(url) ?? []
  return raw === undefined ? { url } : { raw, ...(mediaType ? { mediaType } : {}) }
}

const partShown = (part: ContentPart): A2APart => {
  if (typeof part === 'string') return { text: part }
  if ('text' in part) return { text: part.text }
  if ('image_url' in part) return addressed(part.image_url.url)
  if ('input_audio' in part) {
    const { data: raw, format } = part.input_audio
    return { raw, mediaType: `audio/${format === 'mp3' ? 'mpeg' : format}` }
  }
  const { file_data, file_url, filename } = part.file
  const isUrl = file_data === undefined || file_data.startsWith('data:')
  const shown = isUrl ? addressed(file_data ?? file_url ?? '') : { raw: file_data }
  return { ...shown, filename }
}

export const partsShown = (content: MessageContent): A2APart[] =>
  (typeof content === 'string' ? [content] : content).map(partShown)

/** The parts of a content that are no text. */
export const filesIn = (content: MessageContent): A2APart[] =>
  typeof content === 'string'
    ? []
    : content.filter(part => typeof part === 'object' && !('text' in part)).map(partShown)
