// A rollout: one completed step of a task as trainers and auditors read it, from the view as it was before the step ended.
import { answerOf } from '../chat/messages.ts'
import { type ModelBody, stepBody, summaryBody } from '../chat/request.ts'
import type { RecordedTaskEvent } from '../contract/decoders/task.ts'
import type { Logprob, OutputItem, ToolDefinition } from '../contract/wire.ts'
import { seenNext } from './context.ts'
import type { EnvStep } from './env-steps.ts'
import { system } from './task/messages.ts'
import { promptIds } from './task/model-calls.ts'
import type { TaskView } from './task-view.ts'

/**
 * One completed agent step: what it saw and what it said. Of a step with a model, the messages are those of its call:
 * what was sent is JSON.stringify({...request, messages: input_messages, tools}), without `tools` when there are none,
 * and `request_digest` is base64url(SHA-256) of that. Of other steps they are output items.
 */
export type Rollout = {
  type: 'task.rollout'
  /** That of the next frame when the step completed. */
  sequence_number: number
  position: number
  session_id: string
  task_id: string
  /** The task that all began with. */
  trace_id: string
  request_id: string
  rollout_id: string
  /** The step of the caller, for a subagent's. */
  parent_rollout_id: string | null
  fork_of: string | null
  effect_id: string
  /** Counts the user's messages; `step` counts agent steps. Both from 1. */
  turn: number
  step: number
  is_answer: boolean
  is_compress: boolean
  inference_args: Record<string, unknown>
  tools: unknown[]
  request: Record<string, unknown>
  usage: Record<string, unknown> | null
  reward: number | null
  /** Present on steps with a model; the rest as far as the endpoint said it. */
  request_digest?: string | undefined
  response_id?: string | undefined
  model?: string | undefined
  system_fingerprint?: string | undefined
  finish_reason?: string | undefined
  /** The endpoint's own id of each call, by ours. */
  provider_call_ids?: Record<string, string> | undefined
  prompt_token_ids?: number[] | undefined
  completion_token_ids?: number[] | undefined
  logprobs?: Logprob[] | undefined
  /** The steps of an environment that its calls were, present where there are some. */
  env_steps?: EnvStep[]
  input_messages: unknown[]
  output_messages: unknown[]
}

const rolloutId = (taskId: string, step: number): string => `rollout_${taskId}_${step}`

export type StepEnd = RecordedTaskEvent<'AgentStepCompleted'>

export const logprobsOf = (items: OutputItem[]): Logprob[] =>
  items.flatMap(item => {
    if (item.type !== 'message' || typeof item.message_content === 'string') return []
    return item.message_content.flatMap(part =>
      typeof part === 'object' && 'logprobs' in part ? (part.logprobs ?? []) : [],
    )
  })

/** What was sent to a model, put together again. */
const bodyOf = (
  { created }: TaskView,
  { data }: StepEnd,
  items: OutputItem[],
  tools: ToolDefinition[],
): ModelBody | undefined => {
  const { request: asked, compressed } = data
  if (asked === undefined || created === undefined) return undefined
  const { request } = created
  if (compressed === undefined) return stepBody(asked, { request, items, tools })
  const replaced = new Set(compressed.items)
  return summaryBody(asked, { request, items: items.filter(({ id = '' }) => replaced.has(id)) })
}

const callIds = (said: OutputItem[], theirs: string[] | undefined): Record<string, string> | undefined => {
  const calls = said.filter(item => item.type === 'tool_call')
  return theirs && Object.fromEntries(calls.map(({ call_id }, n) => [call_id, theirs[n] ?? '']))
}

/**
 * The entry of the step that `event` completes, with the view as it is before it. `first`: what the task saw first;
 * `tools`: those of its list.
 */
export const rolloutOf = (
  view: TaskView,
  event: StepEnd,
  first: OutputItem[],
  tools: ToolDefinition[],
): Rollout => {
  const { created } = view
  if (created === undefined) throw new Error('a step of no task')
  const { position, header, data } = event
  const { parent_task_id, parent_agent_step } = created
  const saidIds = new Set(view.saidItems)
  const said = view.output.filter(({ id = '' }) => saidIds.has(id))
  const seen = seenNext(view, first, saidIds)
  const body = bodyOf(view, event, seen, tools)
  const { response = {}, compressed } = data
  const logprobs = logprobsOf(said)
  const ofModel = body && {
    request_digest: data.request?.digest,
    response_id: response.id,
    model: response.model ?? data.request?.model,
    system_fingerprint: response.system_fingerprint,
    finish_reason: response.finish_reason,
    provider_call_ids: callIds(said, response.call_ids),
    prompt_token_ids: promptIds(view, response),
    completion_token_ids: response.completion_token_ids,
    logprobs: logprobs.length === 0 ? undefined : logprobs,
  }
  const answer = compressed
    ? [{ role: 'assistant', content: compressed.summary }]
    : answerOf(said, data.request?.form ?? 1)
  return {
    type: 'task.rollout',
    sequence_number: header.seq ?? 0,
    position,
    session_id: created.session_id,
    task_id: created.task_id,
    trace_id: created.root_task_id ?? created.task_id,
    request_id: created.request_id,
    rollout_id: rolloutId(created.task_id, data.agent_step),
    parent_rollout_id:
      parent_task_id === undefined ? null : rolloutId(parent_task_id, parent_agent_step ?? 1),
    fork_of: null,
    effect_id: data.effect_id,
    turn: 1 + view.messages.filter(({ by, at }) => by !== system && at !== undefined).length,
    step: data.agent_step,
    is_answer: data.final === true,
    is_compress: compressed !== undefined,
    inference_args: created.request.inference_args ?? {},
    tools: body === undefined ? (created.request.client_tools ?? []) : (body.tools ?? []),
    request: body?.request ?? { agent: created.agent },
    ...ofModel,
    usage: data.usage ?? null,
    reward: null,
    input_messages: body?.messages ?? seen,
    output_messages: body === undefined ? said : answer,
  }
}
