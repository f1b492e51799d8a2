// Files of users and tools in the forms that endpoints take.
import type { ContentPart } from '../contract/wire.ts'

type File = Extract<ContentPart, { file: unknown }>['file']

const types: Record<string, string> = {
  pdf: 'application/pdf',
  txt: 'text/plain',
  md: 'text/markdown',
  csv: 'text/csv',
  html: 'text/html',
  htm: 'text/html',
  xml: 'text/xml',
  yaml: 'text/yaml',
  yml: 'text/yaml',
  json: 'application/json',
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
}
const dataUrl = /^data:([^;,]*)((?:;[^;,]*)*),/

const typeByName = (filename: string): string =>
  types[filename.slice(filename.lastIndexOf('.') + 1).toLowerCase()] ?? 'application/octet-stream'

/** The media type of a file: that of its data URL, or else that of its name. */
export const fileType = ({ file_data = '', filename }: File): string =>
  dataUrl.exec(file_data)?.[1] || typeByName(filename)

/** The file as a URL: its data, or else its address. Data without a media type get the type of the name. */
export const fileUrl = (file: File): string => {
  const { file_data, file_url = '' } = file
  if (file_data === undefined) return file_url
  return file_data.startsWith('data:') ? file_data : `data:${fileType(file)};base64,${file_data}`
}

/** Text in a URL, decoded. Text that is not encoded in the right way stays as it is. */
const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** The data of a file in base64; undefined: the file is only an address. */
export const fileBase64 = (file: File): string | undefined => {
  if (file.file_data === undefined) return undefined
  const url = fileUrl(file)
  const head = dataUrl.exec(url)
  const data = url.slice(head?.[0].length ?? 0)
  return head?.[2]?.includes(';base64') ? data : Buffer.from(decoded(data)).toString('base64')
}

/** The text of a file with its name; undefined when the file is no text, or is only an address. */
export const fileText = (file: File): string | undefined => {
  const base64 = fileBase64(file)
  if (base64 === undefined || !/^text\/|json|xml|yaml/.test(fileType(file))) return undefined
  return `[file ${file.filename}]\n${Buffer.from(base64, 'base64').toString()}`
}

/** The text in place of a file that an endpoint does not take. */
export const fileNote = ({ filename, file_url }: File): string =>
  `[the file ${filename}${file_url === undefined ? '' : ` at ${file_url}`}, which this model cannot take]`
