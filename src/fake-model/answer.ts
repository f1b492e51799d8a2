// What a fake model can be told to answer.

export type ToolCall = { name: string; arguments?: Record<string, unknown> | string }
export type Answer = {
  /** Used for each request whose newest message holds this text, and never used up. */
  when?: string
  reasoning?: string
  reasoning_as?: 'reasoning_content' | 'reasoning' | 'think'
  text?: string
  refusal?: string
  tool_calls?: ToolCall[]
  /** false: none; else what is counted roughly is replaced. */
  usage?: false | { prompt_tokens: number; completion_tokens: number }
  /** null: the answer never says that it is finished. */
  finish_reason?: string | null
  logprobs?: boolean
  /** The ids of tokens, as vLLM gives them. */
  token_ids?: boolean
  model?: string
  system_fingerprint?: string
  /** Instead of an answer; `body` is sent as it is, typed by a content-type in `headers`. */
  error?: { status: number; message?: string; headers?: Record<string, string>; body?: string }
  /** Before the head. */
  delay_ms?: number
  /** Between two pieces. */
  token_ms?: number
  /** A stream of these alone: objects as JSON, strings as they are. */
  chunks?: unknown[]
  /** false: the stream ends without its [DONE]. */
  done?: boolean
  /** The connection breaks after the pieces; an answer that is no stream breaks in its middle. */
  cut?: boolean
  /** The same, but for ever open. */
  hang?: boolean
  /** How often the text is said. */
  repeat?: number
}
