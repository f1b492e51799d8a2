// Contents as ATIF holds them: text, and images that it can name.
import type { ContentPart, MessageContent } from '../../contract/wire.ts'
import type { Content, ImageType, Part } from './format.ts'

const byEnding: Record<string, ImageType> = {
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  png: 'image/png',
  gif: 'image/gif',
  webp: 'image/webp',
}

/** The type of an image as its URL tells it; undefined: it does not, or it is one that ATIF does not know. */
const imageType = (url: string): ImageType | undefined => {
  const named = /^data:image\/(\w+)[;,]/i.exec(url) ?? /^[^?#]*\.(\w+)(?:[?#]|$)/.exec(url)
  return byEnding[named?.[1]?.toLowerCase() ?? '']
}

/** Undefined: ATIF has no such part. */
const partOf = (part: ContentPart): Part | undefined => {
  if (typeof part === 'string') return { type: 'text', text: part }
  if ('text' in part) return { type: 'text', text: part.text }
  if (!('image_url' in part)) return undefined
  const path = part.image_url.url
  const media_type = imageType(path)
  return media_type && { type: 'image', source: { media_type, path } }
}

/** Text as one string, as a model sees it; else parts, where what has none is named in its place. */
export const contentOf = (content: MessageContent): Content => {
  if (typeof content === 'string') return content
  const parts = content.map(
    (part): Part => partOf(part) ?? { type: 'text', text: `[${(part as { type: string }).type}]` },
  )
  const texts = parts.flatMap(part => (part.type === 'text' ? [part.text] : []))
  return texts.length === parts.length ? texts.join('\n') : parts
}

/** The content as it was given, where ATIF could not hold all of it. */
export const lostFrom = (content: MessageContent): MessageContent | undefined =>
  typeof content === 'string' || content.every(part => partOf(part) !== undefined) ? undefined : content
