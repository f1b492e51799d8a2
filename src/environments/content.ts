// Whether a value has the form of message content. Only the fields that the wire requires are checked.
import type { MessageContent } from '../contract/wire.ts'
import { isObject } from './protocol.ts'

const isText = (value: unknown): value is string => typeof value === 'string'
const hasText = ({ text }: Record<string, unknown>) => isText(text)
const hasImage = ({ image_url: image }: Record<string, unknown>) => isObject(image) && isText(image.url)
const hasAudio = ({ input_audio: audio }: Record<string, unknown>) =>
  isObject(audio) && isText(audio.data) && isText(audio.format)
const hasFile = ({ file }: Record<string, unknown>) =>
  isObject(file) && (isText(file.file_url) || isText(file.file_data)) && isText(file.filename)

const kinds = new Map<unknown, (part: Record<string, unknown>) => boolean>([
  ...['text', 'input_text', 'output_text', 'reasoning_text', 'summary_text', 'refusal'].map(
    type => [type, hasText] as const,
  ),
  ...['image', 'input_image', 'output_image', 'image_url'].map(type => [type, hasImage] as const),
  ...['input_audio', 'output_audio', 'audio'].map(type => [type, hasAudio] as const),
  ['file', hasFile],
])

const isPart = (part: unknown): boolean =>
  isText(part) || (isObject(part) && kinds.get(part.type)?.(part) === true)

export const isContent = (value: unknown): value is MessageContent =>
  isText(value) || (Array.isArray(value) && value.every(isPart))
