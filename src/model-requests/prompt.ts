// What a model is asked, in no protocol's words. A protocol writes it as the body of a request (protocol.ts).
import type { ContentPart, ToolDefinition } from '../contract/wire.ts'

/** A call of a tool. `id`: its id on the wire of the endpoint. `nth`: its number among the calls of its step, from 0. */
export type CallPart = { kind: 'call'; id: string; name: string; arguments: string; nth: number }

/**
 * A piece of what an assistant said. `thought`: text that came with a request. `reasoning`: what the model itself
 * thought; `nth` is its number among the reasoning items of its step, from 0.
 */
export type SaidPart =
  | { kind: 'thought'; text: string }
  | { kind: 'reasoning'; text: string; nth: number }
  | { kind: 'text'; content: ContentPart[] }
  | CallPart

/** The result of a call. `id`: the id of the call on the wire. `failed`: the call failed, or never ran. */
export type ResultPart = { id: string; name: string; content: ContentPart[]; failed: boolean }

/**
 * One side's part of the conversation. `extras`: what the endpoint gave with the turn, if it goes to the same endpoint
 * and model again. Each turn with calls is followed by a turn with their results, in the order of the calls.
 */
export type Turn =
  | { by: 'user' | 'system' | 'developer'; content: ContentPart[]; name?: string }
  | { by: 'assistant'; parts: SaidPart[]; name?: string; extras?: Record<string, unknown> }
  | { by: 'tools'; results: ResultPart[] }

export type Prompt = {
  model: string
  /** The instructions of the request, without those about the form of the answer. */
  instructions: string | undefined
  turns: Turn[]
  tools: ToolDefinition[]
  /** The answer must be JSON that fits this schema. */
  schema: object | undefined
  /** The greatest length of the answer in tokens. */
  maxTokens: number | undefined
  /** Further fields of the body, which the request gave. A field that is null is left out of the body. */
  args: Record<string, unknown>
  /** No later prompt begins like this one, so nothing of it need be cached. */
  once?: true
}
