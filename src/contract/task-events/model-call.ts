// What an event stores about the model call of a step: the request and the response.
import Type, { type Static } from 'typebox'
import { ItemId, optional } from './schema.ts'

/**
 * The part of a request to a model that cannot be computed from the history and the request of the task.
 * src/chat/request.ts builds the whole request again. `digest` is base64url(SHA-256) of the bytes that were sent.
 */
export const ModelRequest = Type.Object({
  model: Type.String(),
  /** The request describes the schema of the answer in words, since the endpoint supports no other way. */
  schema_in_words: optional(Type.Literal(true)),
  digest: Type.String(),
})
export type ModelRequest = Static<typeof ModelRequest>
const TokenIds = Type.Array(Type.Integer())
/**
 * What the endpoint said about its answer. `call_ids` are the ids that the endpoint gave to the calls, in the order of
 * the calls.
 */
export const ModelResponse = Type.Object({
  id: optional(Type.String()),
  model: optional(Type.String()),
  system_fingerprint: optional(Type.String()),
  finish_reason: optional(Type.String()),
  call_ids: optional(Type.Array(Type.String())),
  /** The first `shared` ids of the previous call's prompt and completion, then the ids in `rest`. */
  prompt_token_ids: optional(Type.Object({ shared: Type.Integer({ minimum: 0 }), rest: TokenIds })),
  completion_token_ids: optional(TokenIds),
})
export type ModelResponse = Static<typeof ModelResponse>
/** A summary of earlier items. It replaces `items`, which the model no longer sees. */
export const Compressed = Type.Object({
  compression_id: Type.String(),
  item_id: ItemId,
  summary: Type.String(),
  items: Type.Array(ItemId),
})
export type Compressed = Static<typeof Compressed>
