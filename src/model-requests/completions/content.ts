// The contents of messages as endpoints of chat completions take them.
import type { ContentPart } from '../../contract/wire.ts'
import { fileNote, fileText, fileUrl } from '../files.ts'
import { partNote } from '../parts.ts'
import type { Switches } from '../switches.ts'

export type CompletionsPart = { type: string; [field: string]: unknown }
/** The content of a message: a text, or parts. */
export type CompletionsContent = string | CompletionsPart[]
export type CompletionsMessage = { role: string; content?: unknown; [field: string]: unknown }

export const textPart = (text: string): CompletionsPart => ({ type: 'text', text })
const note = (what: string) => textPart(partNote(what))

type FilePart = Extract<ContentPart, { file: unknown }>
const filePart = ({ file }: FilePart, { files }: Switches): CompletionsPart => {
  if (files === 'text') return textPart(fileText(file) ?? fileNote(file))
  if (files === 'document_url') {
    return { type: 'document_url', document_url: fileUrl(file), document_name: file.filename }
  }
  return {
    type: 'file',
    file: file.file_data === undefined ? file : { filename: file.filename, file_data: fileUrl(file) },
  }
}

const partOf = (part: ContentPart, switches: Switches): CompletionsPart => {
  if (typeof part === 'string') return textPart(part)
  if ('text' in part) return textPart(part.text)
  if ('image_url' in part) {
    return switches.images === 'off' ? note('an image') : { type: 'image_url', image_url: part.image_url }
  }
  if ('input_audio' in part) {
    return switches.audio === 'off' ? note('a sound') : { type: 'input_audio', input_audio: part.input_audio }
  }
  return filePart(part, switches)
}

/** A content: a string for one text, else parts. */
export const contentOf = (content: readonly ContentPart[], switches: Switches): CompletionsContent => {
  const parts = content.map(part => partOf(part, switches))
  const texts = parts.map(({ text }) => text)
  if (switches.text_parts === 'joined' && texts.every(text => typeof text === 'string'))
    return texts.join('\n')
  const [first = textPart(''), ...more] = parts
  return more.length === 0 && typeof first.text === 'string' ? first.text : parts
}

const partsIn = (content: CompletionsContent): CompletionsPart[] =>
  typeof content === 'string' ? [textPart(content)] : content

/** Two contents as one. */
export const together = (a: CompletionsContent | undefined, b: CompletionsContent): CompletionsContent => {
  if (a === undefined) return b
  if (typeof a === 'string' && typeof b === 'string') return `${a}\n${b}`
  return [...partsIn(a), ...partsIn(b)]
}

/** Whether a content says nothing. */
export const isEmpty = (content: CompletionsContent | undefined): boolean =>
  content === undefined ||
  (typeof content === 'string' ? content === '' : content.every(({ text }) => text === ''))
