// The fields of an answer in a script of the fake model.

export type ToolCall = { name: string; arguments?: Record<string, unknown> | string }
export type Answer = {
  /** For requests whose newest message contains this text. The first answer that fits is used, any number of times. */
  when?: string
  reasoning?: string
  reasoning_as?: 'reasoning_content' | 'reasoning' | 'think'
  text?: string
  refusal?: string
  tool_calls?: ToolCall[]
  /** Replaces the rough count of tokens; false: the answer reports no usage. */
  usage?: false | { prompt_tokens: number; completion_tokens: number }
  /** null: the answer never reports that it is finished. */
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
  /** false: the stream ends without [DONE]. */
  done?: boolean
  /** Whether the connection breaks after the last piece. An answer that is not streamed breaks in its middle. */
  cut?: boolean
  /** Whether the answer stops at the point where `cut` would break it, while the connection stays open. */
  hang?: boolean
  /** How many times the text is sent. */
  repeat?: number
}
