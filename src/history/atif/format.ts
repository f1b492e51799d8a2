// The types of ATIF 1.7, Harbor's Agent Trajectory Interchange Format. The format allows other keys only in `extra`.
// A field whose value is not known is left out.

type Extra = { extra?: Record<string, unknown> }

export type ImageType = 'image/jpeg' | 'image/png' | 'image/gif' | 'image/webp'
export type Part =
  | { type: 'text'; text: string }
  | { type: 'image'; source: { media_type: ImageType; path: string } }
export type Content = string | Part[]

export type ToolCall = Extra & {
  tool_call_id: string
  function_name: string
  arguments: Record<string, unknown>
}
/** `source_call_id`: a call of the step that holds the result. `trajectory_id`: a subagent in the same document. */
export type Result = Extra & {
  source_call_id?: string
  content: Content
  subagent_trajectory_ref?: { trajectory_id: string; session_id: string }[]
}
/**
 * `prompt_tokens` includes the cached tokens. The n-th entries of `completion_token_ids` and of `logprobs` belong to
 * the same token.
 */
export type Metrics = Extra & {
  prompt_tokens?: number
  completion_tokens?: number
  cached_tokens?: number
  prompt_token_ids?: number[]
  completion_token_ids?: number[]
  logprobs?: number[]
}
/** A step without its number, which is its place in the list. */
export type Step = Extra & {
  timestamp?: string
  source: 'system' | 'user' | 'agent'
  message: Content
  /** The step is a copy from an earlier trajectory or from this one: trainers leave it out. */
  is_copied_context?: true
  /** The number of model calls of the step; absent when it was not recorded. */
  llm_call_count?: number
  observation?: { results: Result[] }
  /** The following fields are only for steps of an agent. */
  model_name?: string
  reasoning_effort?: string | number
  reasoning_content?: string
  tool_calls?: ToolCall[]
  metrics?: Metrics
}
export type FinalMetrics = {
  total_prompt_tokens?: number
  total_completion_tokens?: number
  total_cached_tokens?: number
  total_steps: number
}
export type Trajectory = Extra & {
  schema_version: 'ATIF-v1.7'
  /** The id of the whole run: a subagent has the id of its caller. */
  session_id: string
  /** The id of this document. */
  trajectory_id: string
  agent: Extra & { name: string; version: string; model_name?: string; tool_definitions?: unknown[] }
  steps: ({ step_id: number } & Step)[]
  final_metrics: FinalMetrics
  subagent_trajectories?: Trajectory[]
}

/** The fields that are not undefined. */
export const definedOnly = <T extends object>(fields: { [K in keyof T]: T[K] | undefined }): T =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T

/** The field `extra`, if any of its fields is defined. */
export const extraOf = (fields: Record<string, unknown>): Extra => {
  const extra = definedOnly<Record<string, unknown>>(fields)
  return Object.keys(extra).length === 0 ? {} : { extra }
}
