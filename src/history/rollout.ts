// A rollout: the record of one completed agent step, for trainers and auditors. It is made from the view of the task
// before the event that completes the step.

import type { RecordedTaskEvent } from '../contract/decoders/task.ts'
import type { ModelResponse, TaskEventData } from '../contract/events/task-events.ts'
import { taskIdOf } from '../contract/task-stream.ts'
import type { Logprob, OutputItem, ToolDefinition } from '../contract/wire.ts'
import { answerOf } from '../model-requests/answer.ts'
import type { ModelBody } from '../model-requests/protocol.ts'
import { stepBody, summaryBody } from '../model-requests/request.ts'
import type { CodeCall } from './code-call.ts'
import { type Seen, seenNext } from './context.ts'
import type { EnvStep } from './env-steps.ts'
import { askOf, conversationOf, requestOf, saidInCall } from './task/conversation.ts'
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

type IdOf = (taskId: string) => string
const ofStep =
  (step: number): IdOf =>
  taskId =>
    `rollout_${taskId}_${step}`
/** `n`: the number of the entry in the journal of the code. */
const ofCall =
  (n: number): IdOf =>
  taskId =>
    `rollout_${taskId}_call_${n}`

/** The id of the rollout that was copied, for a step in the past of a fork. */
const originalOf = (copyOf: string | undefined, idOf: IdOf): string | null =>
  copyOf === undefined ? null : idOf(taskIdOf(copyOf.slice(0, copyOf.lastIndexOf('@'))))

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

/** What is different in the rollouts of steps and of calls. `shown`: the input of a step without a model. */
type Facts = {
  idOf: IdOf
  effectId: string
  step: number
  isAnswer: boolean
  summary: string | undefined
  request: TaskEventData<'AgentStepCompleted'>['request']
  response: ModelResponse | undefined
  usage: Record<string, unknown> | undefined
  body: ModelBody | undefined
  shown: OutputItem[]
  said: OutputItem[]
}

const rolloutWith = (view: TaskView, { header, position }: StepEnd | CodeCall, facts: Facts): Rollout => {
  const { created } = view
  if (created === undefined) throw new Error('the step has no task: TaskCreated is missing')
  const { parent_task_id, parent_agent_step } = created
  const { idOf, body, said, summary, request, response = {} } = facts
  const logprobs = logprobsOf(said)
  const ofModel = body && {
    request_digest: request?.digest,
    response_id: response.id,
    model: response.model ?? request?.model,
    system_fingerprint: response.system_fingerprint,
    finish_reason: response.finish_reason,
    provider_call_ids: callIds(said, response.call_ids),
    prompt_token_ids: promptIds(view, response),
    completion_token_ids: response.completion_token_ids,
    logprobs: logprobs.length === 0 ? undefined : logprobs,
  }
  const answer = summary === undefined ? answerOf(said) : [{ role: 'assistant', content: summary }]
  return {
    type: 'task.rollout',
    sequence_number: header.seq ?? 0,
    position,
    session_id: created.session_id,
    task_id: created.task_id,
    trace_id: created.root_task_id ?? created.task_id,
    request_id: created.request_id,
    rollout_id: idOf(created.task_id),
    parent_rollout_id:
      parent_task_id === undefined || parent_agent_step === undefined
        ? null
        : ofStep(parent_agent_step)(parent_task_id),
    fork_of: originalOf(header.copy_of, idOf),
    effect_id: facts.effectId,
    turn: 1 + view.messages.filter(({ by, at }) => by !== system && at !== undefined).length,
    step: facts.step,
    is_answer: facts.isAnswer,
    is_compress: summary !== undefined,
    inference_args: created.request.inference_args ?? {},
    tools: body === undefined ? (created.request.client_tools ?? []) : (body.tools ?? []),
    request: body?.request ?? { agent: created.agent },
    ...ofModel,
    usage: facts.usage ?? null,
    reward: null,
    ...(body?.field === undefined ? {} : { messages_field: body.field }),
    input_messages: body?.messages ?? facts.shown,
    output_messages: body === undefined ? said : answer,
  }
}

/**
 * The rollout of the step that `event` completes; `view` is the view before that event. `first`: the context of the
 * task at its start. `tools`: the tools that the model was offered.
 */
export const rolloutOf = (view: TaskView, event: StepEnd, first: Seen, tools: ToolDefinition[]): Rollout => {
  const { data } = event
  const saidIds = new Set(view.saidItems)
  const seen = seenNext(view, first, saidIds)
  return rolloutWith(view, event, {
    idOf: ofStep(data.agent_step),
    effectId: data.effect_id,
    step: data.agent_step,
    isAnswer: data.final === true,
    summary: data.compressed?.summary,
    request: data.request,
    response: data.response,
    usage: data.usage,
    body: bodyOf(view, event, seen, tools),
    shown: seen.items,
    said: view.output.filter(({ id = '' }) => saidIds.has(id)),
  })
}

/**
 * The rollout of a call of a model that an agent's code has made; `view` is the view before the event. `tools`: the tools
 * that the model was offered.
 */
export const rolloutOfCall = (view: TaskView, event: CodeCall, tools: ToolDefinition[]): Rollout => {
  const { call_id, effect_id = '', content, model = {}, usage } = event.data
  const n = view.entryOf.get(call_id) ?? 0
  const entry = view.entries[n - 1]
  if (entry === undefined || view.created === undefined)
    throw new Error(`the call ${call_id} has no entry in the journal`)
  const { items, turns } = conversationOf(view, n)
  const request = requestOf(view.created.request, askOf(entry))
  const said = saidInCall(view, entry, content)
  return rolloutWith(view, event, {
    idOf: ofCall(n),
    effectId: effect_id,
    step: n,
    isAnswer: false,
    summary: undefined,
    request: model.request,
    response: model.response,
    usage,
    body: model.request && stepBody(model.request, { request, items, turns, tools }),
    shown: items,
    said,
  })
}
