// Reads the messages of an AG-UI client as items of a conversation.
import type { AgUiMessage, AgUiPart } from '../../contract/ag-ui/input.ts'
import { Invalid } from '../../contract/refusals.ts'
import type { ContentPart, MessageContent, OutputItem } from '../../contract/wire.ts'
import { bare } from '../ids.ts'

/** A place in the body. */
export type Place = (string | number)[]

const refused = (loc: Place, msg: string) => new Invalid([{ loc, msg, type: 'value_error' }])

type MediaPart = Exclude<AgUiPart, { type: 'text' }>

/** What a part has: bytes as base64, or where they are. */
type Bytes = { data?: string | undefined; url?: string | undefined; mimeType: string; filename: string }

const bytesOf = (part: MediaPart): Bytes => {
  if (part.type === 'binary') {
    const { data, url, mimeType, filename } = part
    return { data: data || undefined, url: url || undefined, mimeType, filename: filename || 'file' }
  }
  const { source } = part
  const mimeType = ('mimeType' in source && source.mimeType) || 'application/octet-stream'
  const place = source.type === 'file' ? {} : { [source.type]: source.value || undefined }
  return { ...place, mimeType, filename: 'file' }
}

const kindOf = (part: MediaPart): string =>
  part.type === 'binary' ? (/^(image|audio|video)\//.exec(part.mimeType)?.[1] ?? 'document') : part.type

const partOf = (part: AgUiPart, at: Place): ContentPart => {
  if (part.type === 'text') return { type: 'text', text: part.text }
  const { data, url, mimeType, filename } = bytesOf(part)
  const where = data === undefined ? url : `data:${mimeType};base64,${data}`
  if (where === undefined)
    throw refused(at, 'A file needs its data or a URL: the server stores no files of its own')
  switch (kindOf(part)) {
    case 'image':
      return { type: 'image_url', image_url: { url: where } }
    case 'video':
      throw refused(at, 'Agents take no videos: leave the part out')
    case 'audio': {
      if (data === undefined) throw refused(at, 'A sound needs its data: agents take no URL of a sound')
      const format = mimeType.replace(/^audio\//, '').replace(/^mpeg$/, 'mp3')
      return { type: 'input_audio', input_audio: { data, format } }
    }
    default:
      return {
        type: 'file',
        file: data === undefined ? { file_url: where, filename } : { file_data: where, filename },
      }
  }
}

/** The content of a message of a user or a tool. `at`: the place of the message. */
export const contentOf = (content: string | AgUiPart[], at: Place): MessageContent =>
  typeof content === 'string' ? content : content.map((part, n) => partOf(part, [...at, 'content', n]))

/** The items that a message stands for. What a front end shows beside the conversation is none. */
export const itemsOf = (message: AgUiMessage, at: Place): OutputItem[] => {
  switch (message.role) {
    case 'activity':
      return []
    case 'reasoning': {
      const { id, content: text } = message
      return [{ type: 'reasoning', id: bare(id), summary: [{ type: 'summary_text', text }] }]
    }
    case 'tool': {
      const { toolCallId, error } = message
      const message_content = error || contentOf(message.content, at)
      const status = error ? { status: 'incomplete' as const } : {}
      return [{ type: 'tool_result', call_id: bare(toolCallId), ...status, message_content, block_list: [] }]
    }
    case 'assistant': {
      const { name, content, toolCalls } = message
      const said = content
        ? [
            {
              type: 'message' as const,
              role: message.role,
              ...(name ? { name } : {}),
              message_content: content,
            },
          ]
        : []
      const calls = (toolCalls ?? []).map(
        ({ id, function: { name, arguments: args } }): OutputItem => ({
          type: 'tool_call',
          call_id: bare(id),
          name,
          arguments: args,
        }),
      )
      return [...said, ...calls]
    }
    default: {
      const { role, name, content } = message
      return [{ type: 'message', role, ...(name ? { name } : {}), message_content: contentOf(content, at) }]
    }
  }
}
