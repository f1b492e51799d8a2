// Converts a server's result to the parts of a tool_result: texts, images, audio and files.
import type { CallToolResult } from '@modelcontextprotocol/client'
import type { ContentPart, MessageContent } from '../contract/wire.ts'
import { maxText } from './limits.ts'

const note = '[Cut: the result holds more than 1 MiB of text]'

const dataUrl = (mimeType: string, data: string): string => `data:${mimeType};base64,${data}`
const formats: Record<string, string> = { mpeg: 'mp3', 'x-wav': 'wav', wave: 'wav' }
const format = (mimeType: string): string => {
  const subtype = mimeType.replace(/^audio\//, '')
  return formats[subtype] ?? subtype
}
const lastOf = (uri: string): string => uri.split(/[/\\]/).findLast(part => part !== '') ?? uri
const text = (value: string): ContentPart => ({ type: 'text', text: value })

const partOf = (block: CallToolResult['content'][number]): ContentPart => {
  switch (block.type) {
    case 'text':
      return text(block.text)
    case 'image':
      return { type: 'image_url', image_url: { url: dataUrl(block.mimeType, block.data) } }
    case 'audio':
      return { type: 'input_audio', input_audio: { data: block.data, format: format(block.mimeType) } }
    case 'resource_link':
      return { type: 'file', file: { file_url: block.uri, filename: block.name } }
    case 'resource': {
      const { resource } = block
      if ('text' in resource) return text(resource.text)
      const file_data = dataUrl(resource.mimeType ?? 'application/octet-stream', resource.blob)
      return { type: 'file', file: { file_url: resource.uri, filename: lastOf(resource.uri), file_data } }
    }
  }
}

/** Cuts the texts at the limit, and adds a note where they were cut. */
const cut = (parts: ContentPart[]): ContentPart[] => {
  let room = maxText
  return parts.flatMap((part): ContentPart[] => {
    if (typeof part === 'string' || !('text' in part)) return [part]
    if (room < 0) return []
    const before = room
    room -= part.text.length
    if (room >= 0) return [part]
    const kept = part.text.slice(0, before).replace(/[\ud800-\udbff]$/, '')
    room = -1
    return [text(`${kept}\n${note}`)]
  })
}

/** A single text is a string; anything else is a list. A result that has only structured content becomes its JSON. */
export const contentOf = ({ content, structuredContent }: CallToolResult): MessageContent => {
  const parts = content.map(partOf)
  const hasText = parts.some(part => typeof part === 'object' && 'text' in part)
  if (structuredContent !== undefined && !hasText) parts.push(text(JSON.stringify(structuredContent)))
  const kept = cut(parts)
  const [first] = kept
  if (first === undefined) return ''
  return kept.length === 1 && typeof first === 'object' && 'text' in first ? first.text : kept
}

/** The text of a result, used as the message of a failed call. */
export const wordsOf = (result: CallToolResult): string => {
  const content = contentOf(result)
  if (typeof content === 'string') return content
  return content.flatMap(part => (typeof part === 'object' && 'text' in part ? [part.text] : [])).join('\n')
}
