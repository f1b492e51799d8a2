// Reads the messages of an AG-UI client as items of a conversation.
import type { AgUiMessage, AgUiPart } from '../../contract/ag-ui/input.ts'
import { Invalid } from '../../contract/refusals.ts'
import type { ContentPart, MessageContent, OutputItem } from '../../contract/wire.ts'
import { bare } from '../ids.ts'

/** A place in the body. */
export type Place = (string | number)[]

const refused = (loc: Place, msg: string) => new Invalid([{ loc, msg, type: 'value_error' }])

/** The content of a file. `url`: where it is, or the file itself as a data URL. */
type File = { url: string; data: string | undefined; mimeType: string; filename: string }

const fileOf = (part: Exclude<AgUiPart, { type: 'text' }>, at: Place): File => {
  const given =
    part.type === 'binary'
      ? { data: part.data, url: part.url, mimeType: part.mimeType }
      : { [part.source.type]: part.source.value, mimeType: 'mimeType' in part.source && part.source.mimeType }
  const { data, url } = given as { data?: string | null; url?: string | null }
  const mimeType = given.mimeType || 'application/octet-stream'
  const filename = (part.type === 'binary' && part.filename) || 'file'
  if (data) return { url: `data:${mimeType};base64,${data}`, data, mimeType, filename }
  if (url) return { url, data: undefined, mimeType, filename }
  throw refused(at, 'A file needs its data or a URL: the server stores no files of its own')
}

const kindOf = (part: Exclude<AgUiPart, { type: 'text' }>): string =>
  part.type === 'binary' ? (/^(image|audio|video)\//.exec(part.mimeType)?.[1] ?? 'document') : part.type

const partOf = (part: AgUiPart, at: Place): ContentPart => {
  if (part.type === 'text') return { type: 'text', text: part.text }
  const { url, data, mimeType, filename } = fileOf(part, at)
  const kind = kindOf(part)
  if (kind === 'image') return { type: 'image_url', image_url: { url } }
  if (kind === 'video') throw refused(at, 'Agents take no videos: leave the part out')
  if (kind === 'document')
    return {
      type: 'file',
      file: data === undefined ? { file_url: url, filename } : { file_data: url, filename },
    }
  if (data === undefined) throw refused(at, 'A sound needs its data: agents take no URL of a sound')
  const format = mimeType.replace(/^audio\//, '').replace(/^mpeg$/, 'mp3')
  return { type: 'input_audio', input_audio: { data, format } }
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
