// A rollout: the record of one completed agent step, for trainers and auditors. It is made from the view of the task
// before the event that completes the step.
import { answerOf } from '../chat/answer.ts'
import type { ModelBody } from '../chat/protocol.ts'
import { stepBody, summaryBody } from '../chat/request.ts'
import type { RecordedTaskEvent } from '../contract/decoders/task.ts'
import { taskIdOf } from '../contract/task-stream.ts'
import type { Logprob, OutputItem, ToolDefinition } from '../contract/wire.ts'
import { type Seen, seenNext } from './context.ts'
import type { EnvStep } from './env-steps.ts'
import { system } from './task/messages.ts'
import { promptIds } from './task/model-calls.ts'
import type { TaskView } from './task-view.ts'

/**
 * One completed agent step: its context and its output. For a step with a model, the messages are those of the model
 * call: the body that was sent is JSON.stringify({...request, messages: input_messages, tools}), without `tools` when
 * there are none, and with the name in `messages_field` in place of `messages` if there is one. `request_digest` is
 * base64url(SHA-256) of that body. For other steps the messages are output items.
 */
export type Rollout = {
  type: 'task.rollout'
  /** The number of the next frame when the step completed. */
  sequence_number: number
  position: number
  session_id: string
  task_id: string
  /** The first task of the tree of subagents. */
  trace_id: string
  request_id: string
  rollout_id: string
  /** For a subagent's step: the step of the calling task. */
  parent_rollout_id: string | null
  /** In the past of a fork: the step that was copied. */
  fork_of: string | null
  effect_id: string
  /** `turn`: the number of the newest message of a user, from 1. `step`: the number of the agent step, from 1. */
  turn: number
  step: number
  is_answer: boolean
  is_compress: boolean
  inference_args: Record<string, unknown>
  tools: unknown[]
  request: Record<string, unknown>
  usage: Record<string, unknown> | null
  reward: number | null
  /** Fields of steps with a model. `request_digest` is always present, each other field when the endpoint sent it. */
  request_digest?: string | undefined
  response_id?: string | undefined
  model?: string | undefined
  system_fingerprint?: string | undefined
  finish_reason?: string | undefined
  /** The endpoint's own id of each call, by the `call_id` that Reprise gave. */
  provider_call_ids?: Record<string, string> | undefined
  prompt_token_ids?: number[] | undefined
  completion_token_ids?: number[] | undefined
  logprobs?: Logprob[] | undefined
  /** The environment steps that the calls of this step took; present when there are any. */
  env_steps?: EnvStep[]
  /** The field of the body that had the messages; absent: `messages`. */
  messages_field?: string | undefined
  input_messages: unknown[]
  output_messages: unknown[]
}

const rolloutId = (taskId: string, step: number): string => `rollout_${taskId}_${step}`

/** The id of the rollout that was copied, for a step in the past of a fork. */
const originalOf = (copyOf: string | undefined, step: number): string | null =>
  copyOf === undefined ? null : rolloutId(taskIdOf(copyOf.slice(0, copyOf.lastIndexOf('@'))), step)

export type StepEnd = RecordedTaskEvent<'AgentStepCompleted'>

export const logprobsOf = (items: OutputItem[]): Logprob[] =>
  items.flatMap(item => {
    if (item.type !== 'message' || typeof item.message_content === 'string') return []
    return item.message_content.flatMap(part =>
      typeof part === 'object' && 'logprobs' in part ? (part.logprobs ?? []) : [],
    )
  })

/** The body that was sent to a model, built again; undefined: the step called no model. */
const bodyOf = (
  { created }: TaskView,
  { data }: StepEnd,
  { items, given: turns }: Seen,
  tools: ToolDefinition[],
): ModelBody | undefined => {
  const { request: asked, compressed } = data
  if (asked === undefined || created === undefined) return undefined
  const { request } = created
  if (compressed === undefined) return stepBody(asked, { request, items, turns, tools })
  const replaced = new Set(compressed.items)
  return summaryBody(asked, { request, items: items.filter(({ id = '' }) => replaced.has(id)) })
}

const callIds = (said: OutputItem[], theirs: string[] | undefined): Record<string, string> | undefined => {
  const calls = said.filter(item => item.type === 'tool_call')
  return theirs && Object.fromEntries(calls.map(({ call_id }, n) => [call_id, theirs[n] ?? '']))
}

/**
 * The rollout of the step that `event` completes; `view` is the view before that event. `first`: the context of the
 * task at its start. `tools`: the tools that the model was offered.
 */
export const rolloutOf = (view: TaskView, event: StepEnd, first: Seen, tools: ToolDefinition[]): Rollout => {
  const { created } = view
  if (created === undefined) throw new Error('the step has no task: TaskCreated is missing')
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
  const answer = compressed ? [{ role: 'assistant', content: compressed.summary }] : answerOf(said)
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
    fork_of: originalOf(header.copy_of, data.agent_step),
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
    ...(body?.field === undefined ? {} : { messages_field: body.field }),
    input_messages: body?.messages ?? seen.items,
    output_messages: body === undefined ? said : answer,
  }
}
