// What an event stores about the model call of a step: the request and the response.
import Type, { type Static } from 'typebox'
import { OpenObject } from '../wire/schema.ts'
import { ItemId, optional } from './schema.ts'

/**
 * The part of a request to a model that cannot be computed from the history and the request of the task.
 * src/model-requests/request.ts builds the whole request again. `digest` is base64url(SHA-256) of the bytes that were sent.
 */
export const ModelRequest = Type.Object({
  model: Type.String(),
  /** The id of the endpoint. What an endpoint gave goes back only to an endpoint with the same id, and to its model. */
  endpoint: Type.String(),
  /** The protocol of the body; absent: chat completions. */
  protocol: optional(Type.String()),
  /** The name of the dialect; absent: the plain one. */
  dialect: optional(Type.String()),
  /** The switches of the body that had another value than the plain one (src/model-requests/switches.ts). */
  switches: optional(Type.Record(Type.String(), Type.String())),
  /** For a summary: the length in tokens for which its text was cut, if the endpoint had refused a longer context. */
  window: optional(Type.Integer({ minimum: 1 })),
  digest: Type.String(),
  /** The same of the body that a provider package has made of these bytes and sent. */
  sent_digest: optional(Type.String()),
})
export type ModelRequest = Static<typeof ModelRequest>
const TokenIds = Type.Array(Type.Integer())

/** Ends of an answer that is not whole. */
export const cutEnds = ['length', 'content_filter', 'error', 'abort'] as const
export const CutEnd = Type.Enum([...cutEnds])
export type CutEnd = Static<typeof CutEnd>

/**
 * What the endpoint said about its answer. `call_ids` are the ids that the endpoint gave to the calls, in the order of
 * the calls.
 */
export const ModelResponse = Type.Object({
  id: optional(Type.String()),
  model: optional(Type.String()),
  system_fingerprint: optional(Type.String()),
  /** Why the answer ended, in the endpoint's own word. */
  finish_reason: optional(Type.String()),
  /** What that word means, if the answer is not whole or nobody knows the word. */
  end: optional(Type.Enum([...cutEnds, 'unknown'])),
  call_ids: optional(Type.Array(Type.String())),
  /** The extras: what the endpoint wants back with this turn. Only the protocol that stored it reads it. */
  kept: optional(OpenObject),
  /** base64url(SHA-256) of the bytes of the answer that a provider package has read. */
  received_digest: optional(Type.String()),
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
