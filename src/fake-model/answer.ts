// The fields of an answer in a script of the fake model. They are the same for every protocol.

/**
 * `arguments`: an object, or a text that is sent as it is. `id`: the id of the call; a new one if absent. `extra`:
 * fields that Chat Completions send beside the name and the id, such as `extra_content`.
 */
export type ToolCall = {
  name: string
  arguments?: Record<string, unknown> | string
  id?: string
  extra?: Record<string, unknown>
}
/** Where Chat Completions and Responses have the reasoning. Messages have one place for it. */
export const reasoningPlaces = [
  'reasoning_content',
  'reasoning',
  'reasoning_details',
  'reasoning_text',
  'thinking',
  'think',
] as const
export type ReasoningPlace = (typeof reasoningPlaces)[number]

export type Answer = {
  /** For requests whose newest message contains this text. The first answer that fits is used, any number of times. */
  when?: string
  reasoning?: string
  reasoning_as?: ReasoningPlace
  /** What signs or seals the reasoning. If absent, it is made from the reasoning; false: there is none. */
  signature?: string | false
  /** Reasoning that is sent in a form that only the provider can read. */
  redacted?: string
  text?: string
  refusal?: string
  tool_calls?: ToolCall[]
  /**
   * Replaces the rough count of tokens; false: the answer reports no usage. `cached_tokens` are part of
   * `prompt_tokens`, `reasoning_tokens` of `completion_tokens`.
   */
  usage?:
    | false
    | { prompt_tokens: number; completion_tokens: number; cached_tokens?: number; reasoning_tokens?: number }
  /** In the words of Chat Completions. null: the answer never reports that it is finished. */
  finish_reason?: string | null
  logprobs?: boolean
  /** Adds the ids of tokens, in the format of vLLM. */
  token_ids?: boolean
  model?: string
  system_fingerprint?: string
  /** An error instead of an answer. `body` is sent unchanged; `headers` can set its content-type. */
  error?: { status: number; message?: string; headers?: Record<string, string>; body?: string }
  /** Milliseconds until the head of the answer is sent. */
  delay_ms?: number
  /** Milliseconds between two pieces of a streamed answer. */
  token_ms?: number
  /** The whole stream: objects are sent as JSON, strings unchanged. */
  chunks?: unknown[]
  /** false: the stream ends without the event that ends it: [DONE] or message_stop. */
  done?: boolean
  /** Whether the connection breaks after the last piece. An answer that is not streamed breaks in its middle. */
  cut?: boolean
  /** Whether the answer stops at the point where `cut` would break it, while the connection stays open. */
  hang?: boolean
  /** How many times the text is sent. */
  repeat?: number
  /** The faults that this answer plays, by name. */
  fault?: string | string[]
}
