// The words of ATIF 1.7, Harbor's Agent Trajectory Interchange Format. Its models take no other keys but in `extra`;
// what is not known is left out.

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
/** `source_call_id` is a call of the same step; `trajectory_id` one of the document's own subagents. */
export type Result = Extra & {
  source_call_id?: string
  content: Content
  subagent_trajectory_ref?: { trajectory_id: string; session_id: string }[]
}
/** `prompt_tokens` hold the cached ones. Of `completion_token_ids` and `logprobs` the n-th speak of one token. */
export type Metrics = Extra & {
  prompt_tokens?: number
  completion_tokens?: number
  cached_tokens?: number
  prompt_token_ids?: number[]
  completion_token_ids?: number[]
  logprobs?: number[]
}
/** Without its number, which is its place among all. */
export type Step = Extra & {
  timestamp?: string
  source: 'system' | 'user' | 'agent'
  message: Content
  /** Copied from an earlier trajectory, or repeated: nothing new, and nothing to train on. */
  is_copied_context?: true
  /** Absent: nobody recorded it. */
  llm_call_count?: number
  observation?: { results: Result[] }
  /** The rest belongs to steps of an agent alone. */
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
  /** Of the whole run: subagents have their caller's. */
  session_id: string
  /** Of this document. */
  trajectory_id: string
  agent: Extra & { name: string; version: string; model_name?: string; tool_definitions?: unknown[] }
  steps: ({ step_id: number } & Step)[]
  final_metrics: FinalMetrics
  subagent_trajectories?: Trajectory[]
}

/** Only what is there. */
export const given = <T extends object>(fields: { [K in keyof T]: T[K] | undefined }): T =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T

/** `extra`, where there is something to say. */
export const extraOf = (fields: Record<string, unknown>): Extra => {
  const extra = given<Record<string, unknown>>(fields)
  return Object.keys(extra).length === 0 ? {} : { extra }
}
