// Messages as they are in ACP, and as they are in a task.
import type { ContentBlock, ToolCallContent } from '@agentclientprotocol/sdk'
import type { MessageContent } from '../../../library/client/index.ts'

type Part = Exclude<Exclude<MessageContent, string>[number], string>

const text = (said: string): Part => ({ type: 'text', text: said })
const dataUrl = (mimeType: string, data: string): string => `data:${mimeType};base64,${data}`
const nameIn = (uri: string): string => uri.split('/').at(-1) || uri

/** A thing of the editor that the prompt contains: its text with its address, or a file. */
const partOfResource = (resource: Extract<ContentBlock, { type: 'resource' }>['resource']): Part => {
  const { uri, mimeType } = resource
  if ('text' in resource) return text(`<resource uri=${JSON.stringify(uri)}>\n${resource.text}\n</resource>`)
  const file_data = dataUrl(mimeType ?? 'application/octet-stream', resource.blob)
  return { type: 'file', file: { filename: nameIn(uri), file_data } }
}

const partOf = (block: ContentBlock): Part => {
  switch (block.type) {
    case 'text':
      return text(block.text)
    case 'image':
      return { type: 'image_url', image_url: { url: dataUrl(block.mimeType, block.data) } }
    case 'audio': {
      const format = block.mimeType.replace(/^audio\//, '')
      return { type: 'input_audio', input_audio: { data: block.data, format } }
    }
    case 'resource_link':
      return text(`[@${block.title ?? block.name}](${block.uri})`)
    case 'resource':
      return partOfResource(block.resource)
  }
}

/** The prompt of an editor as a message for an agent. */
export const messageIn = (prompt: readonly ContentBlock[]): MessageContent => {
  const parts = prompt.map(partOf)
  if (!parts.every(part => 'text' in part)) return parts
  // An editor divides a text at each thing that the user mentions.
  return parts.map(part => ('text' in part ? part.text : '')).join('')
}

const blockOf = (part: Part): ContentBlock => {
  if ('text' in part) return { type: 'text', text: part.text }
  if ('input_audio' in part) {
    const { data, format } = part.input_audio
    return { type: 'audio', data, mimeType: `audio/${format}` }
  }
  const { url, name } =
    'image_url' in part
      ? { url: part.image_url.url, name: 'image' }
      : { url: part.file.file_url ?? part.file.file_data ?? '', name: part.file.filename }
  const [, mimeType, data] = /^data:(image\/[^;,]+);base64,(.*)$/s.exec(url) ?? []
  if (mimeType !== undefined && data !== undefined) return { type: 'image', mimeType, data }
  // The data of another file would be the address of the link.
  return url.startsWith('data:') ? { type: 'text', text: name } : { type: 'resource_link', name, uri: url }
}

/** A message of a task for an editor. */
export const blocksOf = (content: MessageContent): ContentBlock[] => {
  const parts = typeof content === 'string' ? [content] : content
  return parts.map(part => blockOf(typeof part === 'string' ? text(part) : part))
}

/** The same as the content of a call of a tool. */
export const shownIn = (content: MessageContent): ToolCallContent[] =>
  blocksOf(content).map(block => ({ type: 'content', content: block }))
