// Turns the content of messages into the form of ATIF: text, and images of the types that ATIF knows.
import type { ContentPart, MessageContent } from '../../contract/wire.ts'
import type { Content, ImageType, Part } from './format.ts'

const byEnding: Record<string, ImageType> = {
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  png: 'image/png',
  gif: 'image/gif',
  webp: 'image/webp',
}

/** The image type that a URL names; undefined when the URL names none, or one that ATIF does not know. */
const imageType = (url: string): ImageType | undefined => {
  const named = /^data:image\/(\w+)[;,]/i.exec(url) ?? /^[^?#]*\.(\w+)(?:[?#]|$)/.exec(url)
  return byEnding[named?.[1]?.toLowerCase() ?? '']
}

/** A part in the form of ATIF; undefined when ATIF cannot hold it, such as an image of an unknown type. */
const partOf = (part: ContentPart): Part | undefined => {
  if (typeof part === 'string') return { type: 'text', text: part }
  if ('text' in part) return { type: 'text', text: part.text }
  if (!('image_url' in part)) return undefined
  const path = part.image_url.url
  const media_type = imageType(path)
  return media_type && { type: 'image', source: { media_type, path } }
}

/**
 * Content that is all text becomes one string; other content becomes a list of parts. A part that ATIF cannot
 * hold becomes the name of its type in brackets.
 */
export const contentOf = (content: MessageContent): Content => {
  if (typeof content === 'string') return content
  const parts = content.map(
    (part): Part => partOf(part) ?? { type: 'text', text: `[${(part as { type: string }).type}]` },
  )
  const texts = parts.flatMap(part => (part.type === 'text' ? [part.text] : []))
  return texts.length === parts.length ? texts.join('\n') : parts
}

/** The original content when ATIF cannot hold all of it; otherwise undefined. */
export const lostFrom = (content: MessageContent): MessageContent | undefined =>
  typeof content === 'string' || content.every(part => partOf(part) !== undefined) ? undefined : content
