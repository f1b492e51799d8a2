// The contents of messages as the specification of the AI SDK has them: texts, and files with a media type.
import type { ContentPart } from '../../contract/wire.ts'
import { fileBase64, fileNote, fileText, fileType } from '../files.ts'
import { partNote } from '../parts.ts'
import type { Switches } from '../switches.ts'

export type SdkText = { type: 'text'; text: string }
export type SdkFile = {
  type: 'file'
  mediaType: string
  data: { type: 'data'; data: string } | { type: 'url'; url: string }
  filename?: string
}
export type SdkPart = SdkText | SdkFile

export const sdkText = (text: string): SdkText => ({ type: 'text', text })
const note = (what: string) => sdkText(partNote(what))

const dataUrl = /^data:([^;,]*)[^,]*;base64,/

/** A file at a URL, or in it. */
const fileAt = (url: string, otherwise: string): SdkFile => {
  const head = dataUrl.exec(url)
  return head === null
    ? { type: 'file', mediaType: otherwise, data: { type: 'url', url } }
    : {
        type: 'file',
        mediaType: head[1] || otherwise,
        data: { type: 'data', data: url.slice(head[0].length) },
      }
}

type FilePart = Extract<ContentPart, { file: unknown }>
const filePart = ({ file }: FilePart, { files }: Switches): SdkPart => {
  // Few providers take text as a file, and all take it as text.
  const text = fileText(file)
  if (text !== undefined) return sdkText(text)
  if (files === 'text') return sdkText(fileNote(file))
  const base64 = fileBase64(file)
  const { filename, file_url = '' } = file
  const type = fileType(file)
  return base64 === undefined
    ? { ...fileAt(file_url, type), filename }
    : { type: 'file', mediaType: type, data: { type: 'data', data: base64 }, filename }
}

const partOf = (part: ContentPart, switches: Switches): SdkPart => {
  if (typeof part === 'string') return sdkText(part)
  if ('text' in part) return sdkText(part.text)
  if ('image_url' in part) {
    return switches.images === 'off' ? note('an image') : fileAt(part.image_url.url, 'image/*')
  }
  if ('input_audio' in part) {
    const { data, format } = part.input_audio
    const mediaType = `audio/${format === 'mp3' ? 'mpeg' : format}`
    return switches.audio === 'off'
      ? note('a sound')
      : { type: 'file', mediaType, data: { type: 'data', data } }
  }
  return filePart(part, switches)
}

/** The parts of a content, without empty texts. */
export const sdkParts = (content: readonly ContentPart[], switches: Switches): SdkPart[] =>
  content.map(part => partOf(part, switches)).filter(part => part.type === 'file' || part.text !== '')

/** The texts of a content as one text. */
export const sdkJoined = (content: readonly ContentPart[]): string =>
  content.flatMap(part => (typeof part === 'string' ? part : 'text' in part ? part.text : [])).join('\n')
