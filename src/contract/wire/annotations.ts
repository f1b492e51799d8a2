// What a text part may have in addition to its text: log probabilities and sources.
import Type, { type Static } from 'typebox'
import { optional } from './schema.ts'

const TopLogprob = Type.Object({
  token: Type.String(),
  logprob: Type.Number(),
  bytes: optional(Type.Array(Type.Integer())),
})
export const Logprob = Type.Object({
  token: Type.String(),
  logprob: Type.Number(),
  bytes: optional(Type.Array(Type.Integer())),
  top_logprobs: optional(Type.Array(TopLogprob)),
})
export type Logprob = Static<typeof Logprob>

export type Annotation = Static<typeof Annotation>
export const Annotation = Type.Union([
  Type.Object({
    type: Type.Literal('file_citation'),
    file_id: Type.String(),
    index: Type.Integer(),
    filename: Type.String(),
  }),
  Type.Object({
    type: Type.Literal('url_citation'),
    url: Type.String(),
    title: optional(Type.String()),
    start_index: optional(Type.Integer()),
    end_index: optional(Type.Integer()),
  }),
  Type.Object({
    type: Type.Literal('container_file_citation'),
    container_id: Type.String(),
    file_id: Type.String(),
    filename: optional(Type.String()),
    start_index: optional(Type.Integer()),
    end_index: optional(Type.Integer()),
  }),
  Type.Object({ type: Type.Literal('file_path'), file_id: Type.String(), index: optional(Type.Integer()) }),
  // An unknown kind passes unchanged.
  Type.Object({
    type: Type.String({
      pattern: '^(?!(file_citation|url_citation|container_file_citation|file_path)$)',
    }),
  }),
])
