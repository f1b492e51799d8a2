// The contents of messages as endpoints of Messages take them: lists of blocks.
import type { ContentPart } from '../../contract/wire.ts'
import { fileBase64, fileNote, fileText, fileType } from '../files.ts'
import { isText, partNote } from '../parts.ts'
import type { Switches } from '../switches.ts'

export type Block = { type: string; [field: string]: unknown }
type File = Extract<ContentPart, { file: unknown }>['file']

export const textBlock = (text: string): Block => ({ type: 'text', text })

/** The images that the protocol knows: https://docs.anthropic.com/en/docs/build-with-claude/vision */
const imageTypes = ['image/jpeg', 'image/png', 'image/gif', 'image/webp']
const isSecure = (url: string | undefined): url is string => url !== undefined && /^https:\/\//i.test(url)

/** Where a block finds its data: in itself, or at an address. */
const sourceOf = (file: File, media_type: string): Block | undefined => {
  const data = fileBase64(file)
  if (data !== undefined) return { type: 'base64', media_type, data }
  return isSecure(file.file_url) ? { type: 'url', url: file.file_url } : undefined
}

const imageBlock = (file: File, { images }: Switches): Block => {
  const type = fileType(file).replace(/^image\/jpg$/, 'image/jpeg')
  const isKnown = file.file_data === undefined || imageTypes.includes(type)
  const source = isKnown && images === 'on' ? sourceOf(file, type) : undefined
  if (source !== undefined) return { type: 'image', source }
  return textBlock(partNote(file.file_url === undefined ? 'an image' : `an image at ${file.file_url}`))
}

const pdf = 'application/pdf'
const fileBlock = (file: File, switches: Switches): Block => {
  const type = fileType(file)
  if (type.startsWith('image/')) return imageBlock(file, switches)
  const source = type === pdf && switches.files !== 'text' ? sourceOf(file, type) : undefined
  if (source !== undefined) return { type: 'document', source, title: file.filename }
  return textBlock(fileText(file) ?? fileNote(file))
}

const blockOf = (part: ContentPart, switches: Switches): Block => {
  if (isText(part)) return textBlock(typeof part === 'string' ? part : part.text)
  if ('input_audio' in part) return textBlock(partNote('a sound'))
  if ('file' in part) return fileBlock(part.file, switches)
  const { url } = part.image_url
  const filename = 'image'
  const file = url.startsWith('data:') ? { file_data: url, filename } : { file_url: url, filename }
  return imageBlock(file, switches)
}

const isBlank = ({ type, text }: Block): boolean => type === 'text' && String(text).trim() === ''

/** The blocks of a content. Endpoints refuse blank texts, so these are left out. */
export const blocksOf = (content: readonly ContentPart[], switches: Switches): Block[] =>
  content.map(part => blockOf(part, switches)).filter(block => !isBlank(block))

/** Blocks that somebody with a name says. The protocol has no field for the name. */
export const saidBy = (name: string | undefined, blocks: Block[]): Block[] => {
  if (name === undefined || blocks.length === 0) return blocks
  const [first, ...rest] = blocks
  return first?.type === 'text'
    ? [textBlock(`${name}:\n${first.text}`), ...rest]
    : [textBlock(`${name}:`), ...blocks]
}
