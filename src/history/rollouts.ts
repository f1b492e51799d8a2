// Rollouts: a task told step by step for trainers and auditors, folded from the log whenever it is asked for.

import { answerOf } from '../chat/messages.ts'
import { type ModelBody, stepBody, summaryBody } from '../chat/request.ts'
import { type RecordedTaskEvent, taskEvents } from '../contract/decoders/task.ts'
import type { Logprob, OutputItem, ToolDefinition } from '../contract/wire.ts'
import { firstSeen, type ReadStream, seenNext } from './context.ts'
import { type EnvStep, envStepsAt } from './env-steps.ts'
import { system } from './task/messages.ts'
import { promptIds } from './task/model-calls.ts'
import { emptyTask, evolve, type TaskView } from './task-view.ts'
import { toolListReader } from './tool-lists.ts'

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

/** Whose entries are wanted besides those of a task's own steps; what is left open its request says. */
export type Wanted = {
  subagents?: boolean | undefined
  summaries?: boolean | undefined
  /** Events after this revision are as if they were not there. */
  upTo?: number
  /** Entries up to this position are not told. */
  after?: number
}

type Taken = { agentStep: number; callId: string; stream: string; revision: number }

/** What is known of a stream's entries before any of them is made. */
type Survey = {
  stream: string
  upTo: number
  subagents: boolean
  summaries: boolean
  ends: { position: number; isSummary: boolean }[]
  /** Steps of environments that its calls were. */
  taken: Taken[]
  children: TaskView['children']
  /** The newest reward, which stands on the last entry. */
  reward: number | undefined
}

const surveyOf = async (read: ReadStream, stream: string, wanted: Wanted): Promise<Survey> => {
  const { upTo = Number.POSITIVE_INFINITY } = wanted
  const view = emptyTask()
  const ends: Survey['ends'] = []
  const taken: Taken[] = []
  for await (const page of read(stream)) {
    for (const stored of page) {
      if (stored.header.revision > upTo) continue
      const event = taskEvents.read(stored)
      evolve(view, event)
      if (event.type === 'AgentStepCompleted') {
        ends.push({ position: event.position, isSummary: event.data.compressed !== undefined })
      }
      if (event.type !== 'EffectCompleted') continue
      const { agent_step, call_id, env_step } = event.data
      if (env_step !== undefined) taken.push({ agentStep: agent_step, callId: call_id, ...env_step })
    }
  }
  const request = view.created?.request
  return {
    stream,
    upTo,
    subagents: wanted.subagents ?? request?.include_subagent_rollout ?? false,
    summaries: wanted.summaries ?? request?.include_compress_model_rollout ?? false,
    ends,
    taken,
    children: view.children,
    reward: view.rewards.at(-1)?.value,
  }
}

/** The surveys of a task and of its subagents, each child as far as its result was read. */
const surveysOf = async (read: ReadStream, stream: string, wanted: Wanted): Promise<Survey[]> => {
  const own = await surveyOf(read, stream, wanted)
  const { subagents, summaries } = own
  const all = [own]
  for (const { stream, revision } of subagents ? own.children : []) {
    all.push(...(await surveysOf(read, stream, { subagents, summaries, upTo: revision })))
  }
  return all
}

/** The steps of environments that a task's calls were, by agent step. */
const envStepsOf = async (read: ReadStream, taken: Taken[]): Promise<Map<number, EnvStep[]>> => {
  const found = new Map<number, EnvStep[]>()
  for (const stream of new Set(taken.map(({ stream }) => stream))) {
    const here = taken.filter(one => one.stream === stream)
    const steps = await envStepsAt(read, stream, new Set(here.map(({ revision }) => revision)))
    for (const { agentStep, callId, revision } of here) {
      const step = steps.get(revision)
      if (step === undefined) continue
      found.set(agentStep, [...(found.get(agentStep) ?? []), { ...step, call_id: callId }])
    }
  }
  return found
}

/** The entries of one stream after a position, oldest first, each made when it is taken. */
async function* entriesOf(read: ReadStream, survey: Survey, after: number): AsyncGenerator<Rollout> {
  const { stream, upTo, summaries, ends, reward } = survey
  const view = emptyTask()
  const toolsOf = toolListReader(read)
  const envSteps = await envStepsOf(read, survey.taken)
  const last = ends.at(-1)?.position
  let first: OutputItem[] | undefined
  for await (const page of read(stream)) {
    for (const stored of page) {
      if (stored.header.revision > upTo) return
      const event = taskEvents.read(stored)
      if (event.type === 'AgentStepCompleted') {
        first ??= await firstSeen(read, view)
        if (event.position > after && (summaries || event.data.compressed === undefined)) {
          const entry = rolloutOf(view, event, first, await toolsOf(view.toolList))
          if (event.position === last && reward !== undefined) entry.reward = reward
          const steps = envSteps.get(entry.step)
          if (steps !== undefined) entry.env_steps = steps
          yield entry
        }
      }
      evolve(view, event)
    }
  }
}

/** Streams that are read at once; of the others what was folded is dropped, and folded again when it is needed. */
const readAtOnce = 8

type Place = { position: number; stream: string }

/** Entries at these places, in their order. `open` gives those of a stream after a position, oldest first. */
export async function* inOrder(
  places: Place[],
  open: (stream: string, after: number) => AsyncGenerator<Rollout>,
): AsyncGenerator<Rollout> {
  const lastOf = new Map(places.map(({ stream, position }) => [stream, position]))
  const readers = new Map<string, AsyncGenerator<Rollout>>()
  const close = async (stream: string) => {
    const reader = readers.get(stream)
    readers.delete(stream)
    await reader?.return(undefined)
  }
  try {
    for (const { position, stream } of places) {
      const reader = readers.get(stream) ?? open(stream, position - 1)
      readers.delete(stream)
      readers.set(stream, reader)
      const [oldest] = readers.keys()
      if (readers.size > readAtOnce && oldest !== undefined) await close(oldest)
      const next = await reader.next()
      if (!next.done) yield next.value
      if (lastOf.get(stream) === position) await close(stream)
    }
  } finally {
    for (const stream of [...readers.keys()]) await close(stream)
  }
}

/** The entries of a task, oldest first, each made when it is taken: together they repeat what was seen step by step. */
export async function* rolloutsOf(
  read: ReadStream,
  stream: string,
  wanted: Wanted = {},
): AsyncGenerator<Rollout> {
  const { after = 0 } = wanted
  const surveys = new Map((await surveysOf(read, stream, wanted)).map(survey => [survey.stream, survey]))
  const places = [...surveys.values()].flatMap(({ stream, ends, summaries }) =>
    ends
      .filter(({ position, isSummary }) => position > after && (summaries || !isSummary))
      .map(({ position }) => ({ position, stream })),
  )
  places.sort((a, b) => a.position - b.position)
  yield* inOrder(places, (stream, after) => entriesOf(read, surveys.get(stream) as Survey, after))
}
