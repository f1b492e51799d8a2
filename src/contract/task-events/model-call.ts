// What is stored of the call of a model in a step: the request and the response.
import Type, { type Static } from 'typebox'
import { Form, ItemId, optional } from './schema.ts'

/**
 * What was asked of a model, as far as the history and the task's own request do not say it: the whole is put together
 * again by src/chat/request.ts. `form` names how; `digest` is base64url(SHA-256) of the bytes that were sent.
 */
export const ModelRequest = Type.Object({
  form: Form,
  model: Type.String(),
  /** The schema of the answer was asked for in words: the endpoint knows no other way. */
  schema_in_words: optional(Type.Literal(true)),
  digest: Type.String(),
})
export type ModelRequest = Static<typeof ModelRequest>
const TokenIds = Type.Array(Type.Integer())
/** What the endpoint said of its answer. `call_ids` are its own names for the calls, in their order. */
export const ModelResponse = Type.Object({
  id: optional(Type.String()),
  model: optional(Type.String()),
  system_fingerprint: optional(Type.String()),
  finish_reason: optional(Type.String()),
  call_ids: optional(Type.Array(Type.String())),
  /** The first `shared` ids of the call before, its prompt and its completion, then these. */
  prompt_token_ids: optional(Type.Object({ shared: Type.Integer({ minimum: 0 }), rest: TokenIds })),
  completion_token_ids: optional(TokenIds),
})
export type ModelResponse = Static<typeof ModelResponse>
/** `items` are no longer seen; the summary stands for them. */
export const Compressed = Type.Object({
  compression_id: Type.String(),
  item_id: ItemId,
  summary: Type.String(),
  items: Type.Array(ItemId),
})
export type Compressed = Static<typeof Compressed>
