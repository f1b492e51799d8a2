// The content of a message: texts, images, sounds and files.
import Type, { type Static } from 'typebox'
import { Annotation, Logprob } from './annotations.ts'
import { OpenObject, optional } from './schema.ts'

export const TextContentItem = Type.Object({
  type: Type.Enum(['text', 'input_text', 'output_text', 'reasoning_text', 'summary_text', 'refusal']),
  text: Type.String(),
  id: optional(Type.Integer()),
  tags: optional(Type.Array(Type.String())),
  annotations: optional(Type.Array(Annotation)),
  logprobs: optional(Type.Array(Logprob)),
})
export type TextContentItem = Static<typeof TextContentItem>

const fileText = Type.String()
const ContentItem = Type.Union([
  TextContentItem,
  Type.Object({
    type: Type.Enum(['image', 'input_image', 'output_image', 'image_url']),
    image_url: Type.Object({ url: Type.String(), detail: optional(Type.String()) }),
  }),
  Type.Object({
    type: Type.Enum(['input_audio', 'output_audio', 'audio']),
    input_audio: Type.Object({ data: Type.String(), format: Type.String() }),
  }),
  Type.Object({
    type: Type.Literal('file'),
    file: Type.Union([
      Type.Object({ file_url: fileText, filename: fileText, file_data: optional(fileText) }),
      Type.Object({ file_data: fileText, filename: fileText, file_url: optional(fileText) }),
    ]),
  }),
])
export const MessageContent = Type.Union([
  Type.String(),
  Type.Array(Type.Union([Type.String(), ContentItem])),
])
export type MessageContent = Static<typeof MessageContent>
export type ContentPart = string | Static<typeof ContentItem>

export const Block = Type.Interface([OpenObject], { type: Type.String() })
export type Block = { type: string } & Record<string, unknown>
