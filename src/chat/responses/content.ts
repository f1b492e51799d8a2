// The contents of items as endpoints of Responses take them.
import type { ContentPart } from '../../contract/wire.ts'
import { fileNote, fileText, fileType, fileUrl } from '../files.ts'
import { isText, partNote } from '../parts.ts'
import type { Switches } from '../switches.ts'

export type InputPart = { type: string; [field: string]: unknown }
/** The content of an item: a text, or parts. */
export type InputContent = string | InputPart[]

const textPart = (text: string): InputPart => ({ type: 'input_text', text })

const imagePart = (image_url: string, detail: string | undefined, { images }: Switches): InputPart =>
  images === 'off'
    ? textPart(partNote('an image'))
    : { type: 'input_image', image_url, detail: detail ?? 'auto' }

type FilePart = Extract<ContentPart, { file: unknown }>
const filePart = ({ file }: FilePart, switches: Switches): InputPart => {
  const { file_data, file_url, filename } = file
  if (fileType(file).startsWith('image/')) return imagePart(fileUrl(file), undefined, switches)
  const text = fileText(file)
  if (text !== undefined || switches.files === 'text') return textPart(text ?? fileNote(file))
  return file_data === undefined
    ? { type: 'input_file', file_url }
    : { type: 'input_file', filename, file_data: fileUrl(file) }
}

const partOf = (part: ContentPart, switches: Switches): InputPart => {
  if (isText(part)) return textPart(typeof part === 'string' ? part : part.text)
  if ('image_url' in part) return imagePart(part.image_url.url, part.image_url.detail, switches)
  return 'file' in part ? filePart(part, switches) : textPart(partNote('a sound'))
}

/** A content: a string for one text, else parts. */
export const inputContent = (content: readonly ContentPart[], switches: Switches): InputContent => {
  const parts = content.map(part => partOf(part, switches)).filter(({ text }) => text !== '')
  const [first, ...more] = parts
  if (first === undefined) return ''
  return more.length === 0 && typeof first.text === 'string' ? first.text : parts
}

/** A content that somebody with a name says. The protocol has no field for the name. */
export const saidBy = (name: string | undefined, content: InputContent): InputContent => {
  if (name === undefined) return content
  return typeof content === 'string' ? `${name}:\n${content}` : [textPart(`${name}:`), ...content]
}
