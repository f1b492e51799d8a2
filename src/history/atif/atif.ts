// Makes the ATIF trajectory of a task from the log, at each request: steps for the inputs, and one for each completed
// step of the agent. It leaves out items of abandoned steps, and messages that the agent has not seen in a step.

import { type RecordedTaskEvent, taskEvents } from '../../contract/decoders/task.ts'
import type { TaskEventData } from '../../contract/events/task-events.ts'
import type { MessageItem, OutputItem, ToolDefinition, ToolResultItem } from '../../contract/wire.ts'
import { isCodeCall } from '../code-call.ts'
import { assemble, firstSeen, inputsOf, type ReadStream, type Seen, seenNext } from '../context.ts'
import { saidInCall } from '../task/conversation.ts'
import { system } from '../task/messages.ts'
import { promptIds } from '../task/model-calls.ts'
import { itemOf } from '../task/output.ts'
import { emptyTask, evolve, type TaskView } from '../task-view.ts'
import { toolListReader } from '../tool-lists.ts'
import { contentOf } from './content.ts'
import { definedOnly, extraOf, type Metrics, type Step, type Trajectory } from './format.ts'
import { finalMetrics, metricsOf } from './metrics.ts'
import { addResult, agentStep, copied, copiedSteps, saidTo } from './steps.ts'

type StepEnd = TaskEventData<'AgentStepCompleted'>
/** The end of a step, or of a call of a model that an agent's code has made. */
type Ended = Omit<StepEnd, 'effect_id'>

/** Facts about a step's model call for which ATIF has no field. */
const callExtra = ({ agent_step, request, response }: Ended) => ({
  agent_step,
  request_digest: request?.digest,
  response_id: response?.id,
  system_fingerprint: response?.system_fingerprint,
  finish_reason: response?.finish_reason,
})

const inferenceArgs = ({ created }: TaskView): Record<string, unknown> => ({
  ...created?.request.agent_config?.inference_args,
  ...created?.request.inference_args,
})

/** The reasoning effort that the request asks of the model. */
const effortOf = (view: TaskView): string | number | undefined => {
  const effort = inferenceArgs(view).reasoning_effort
  return typeof effort === 'string' || typeof effort === 'number' ? effort : undefined
}

const stepOf = (
  view: TaskView,
  data: Ended,
  said: OutputItem[],
  timestamp: string,
  metrics: Metrics | undefined,
): Step => {
  const { request, response } = data
  const { extra, ...step } = agentStep(said, response?.call_ids)
  return definedOnly<Step>({
    timestamp,
    ...step,
    model_name: response?.model ?? request?.model,
    reasoning_effort: request && effortOf(view),
    llm_call_count: request && 1,
    metrics,
    ...extraOf({ ...extra, ...callExtra(data) }),
  })
}

/** The step with the system prompt, if the model gets one. */
const promptSteps = ({ created }: TaskView): Step[] => {
  const message = created?.request.agent_config?.developer_prompt
  return message ? [{ source: 'system', message }] : []
}

/** The steps for a compression: the summary, then a copy of the items that the model still sees. */
const compressedSteps = (
  view: TaskView,
  first: Seen,
  data: Ended & { compressed: NonNullable<StepEnd['compressed']> },
  timestamp: string,
  metrics: Metrics | undefined,
): Step[] => {
  const { summary, item_id } = data.compressed
  const compaction: Step = {
    timestamp,
    source: 'system',
    message: 'What came before was summed up.',
    llm_call_count: 1,
    observation: { results: [{ content: summary }] },
    ...extraOf({
      context_management: { type: 'compaction', boundary: 'replace' },
      ...callExtra(data),
      model_name: data.response?.model ?? data.request?.model,
      metrics,
    }),
  }
  const beside = copiedSteps(seenNext(view, first).items.filter(({ id }) => id !== item_id))
  return [compaction, ...promptSteps(view).map(copied), ...beside]
}

/**
 * Steps for the messages that the agent sees from now on. Reprise writes a message when an answer is not acceptable.
 */
const consumedSteps = (view: TaskView, items: string[], timestamp: string): Step[] =>
  view.messages
    .filter(({ id }) => items.includes(id))
    .map(({ by, content }) => {
      const { extra, ...said } = saidTo({ type: 'message', role: 'user', message_content: content })
      return { timestamp, ...said, ...extraOf({ ...extra, by: by === system ? by : undefined }) }
    })

/** Steps for the inputs of the task before its agent began. Only the last input, the task's own message, is new. */
const openingOf = (view: TaskView, first: OutputItem[]): Step[] => {
  const seen = assemble(first)
  const timestamp = new Date(view.createdAt).toISOString()
  return [
    ...promptSteps(view),
    ...copiedSteps(seen.slice(0, -1)),
    { timestamp, ...saidTo(seen.at(-1) as MessageItem) },
  ]
}

/** Data of the whole task that have no field in ATIF. */
const taskExtra = ({ created, status, error, rewards, continuedBy }: TaskView) =>
  extraOf({
    status,
    error,
    reward: rewards.at(-1)?.value,
    rewards: rewards.length === 0 ? undefined : rewards,
    user_id: created?.user_id,
    metadata: created?.request.metadata ?? undefined,
    previous_task_id: created?.previous_task_id,
    continued_by: continuedBy,
    parent_task_id: created?.parent_task_id,
  })

/** The document of a task up to a revision; undefined when the log has no such task. */
const foldOf = async (read: ReadStream, stream: string, upTo: number): Promise<Trajectory | undefined> => {
  const view = emptyTask()
  const steps: Step[] = []
  const subagents: Trajectory[] = []
  const calls: Metrics[] = []
  /** All tools that the model was ever offered, so that every call has its definition. */
  const offered = new Map<string, ToolDefinition>()
  const toolsOf = toolListReader(read)
  let version = ''
  let model: string | undefined
  let first: Seen | undefined
  const seenFirst = async () => (first ??= await firstSeen(read, view))

  const stepEnded = async (data: Ended, said: OutputItem[], time: string, prompt: number[] | undefined) => {
    const metrics = metricsOf(data, said, prompt)
    const { compressed } = data
    model ??= data.request?.model
    if (metrics !== undefined) calls.push(metrics)
    if (compressed === undefined) steps.push(stepOf(view, data, said, time, metrics))
    else steps.push(...compressedSteps(view, await seenFirst(), { ...data, compressed }, time, metrics))
  }

  const take = async (event: RecordedTaskEvent) => {
    const { type, data } = event
    const { time, build } = event.header
    const call = isCodeCall(event) ? (event.data.model ?? {}) : undefined
    const response = type === 'AgentStepCompleted' ? data.response : call?.response
    const prompt = response && promptIds(view, response) // computed from the ids of the previous call
    evolve(view, event)
    if (type === 'TaskCreated') version = build
    if (type === 'ToolsOffered') {
      for (const tool of await toolsOf(data.stream)) offered.set(tool.function.name, tool)
    }
    if (type === 'AgentStepCompleted') {
      const said = view.stepItems.map(id => itemOf(view, id))
      // Most turns of code say nothing: the calls of models that they make are steps of their own.
      if (said.length > 0 || view.agentVersion === undefined) await stepEnded(data, said, time, prompt)
    }
    if (type === 'EffectCompleted') {
      if (call !== undefined) {
        for (const tool of await toolsOf(call.tools)) offered.set(tool.function.name, tool)
        const entry = view.entries[(view.entryOf.get(data.call_id) ?? 0) - 1]
        const said = entry === undefined ? [] : saidInCall(view, entry, data.content)
        const { agent_step, usage = {} } = data
        await stepEnded({ ...call, agent_step, usage }, said, time, prompt)
      }
      const { child, item_id } = data
      const subagent = child && (await foldOf(read, child.stream, child.revision))
      if (subagent !== undefined) subagents.push(subagent)
      if (!data.turn && item_id !== undefined)
        addResult(steps, itemOf(view, item_id) as ToolResultItem, time, subagent)
    }
    if (type === 'GroupChatMessage' && data.role === 'assistant') {
      const message = contentOf(data.content)
      steps.push({ timestamp: time, source: 'agent', message, ...extraOf({ name: data.name }) })
    }
    if (type === 'InputAccepted' && data.item.type === 'tool_result') addResult(steps, data.item, time)
    if (type === 'InputConsumed') steps.push(...consumedSteps(view, data.items, time))
  }

  for await (const page of read(stream)) {
    for (const event of page) if (event.header.revision <= upTo) await take(taskEvents.read(event))
  }
  const { created } = view
  if (created === undefined) return undefined
  const args = inferenceArgs(view)
  const opening = view.context.length === 0 ? inputsOf(created) : (await seenFirst()).items
  const numbered = [...openingOf(view, opening), ...steps].map((step, n) => ({ step_id: n + 1, ...step }))
  return definedOnly<Trajectory>({
    schema_version: 'ATIF-v1.7',
    session_id: created.session_id,
    trajectory_id: created.task_id,
    agent: definedOnly<Trajectory['agent']>({
      name: created.agent,
      version,
      model_name: model ?? created.request.agent_config?.model ?? undefined,
      tool_definitions:
        view.toolList || offered.size > 0
          ? [...offered.values()]
          : (created.request.client_tools ?? undefined),
      ...extraOf({
        agent_id: created.agent_id,
        inference_args: Object.keys(args).length === 0 ? undefined : args,
      }),
    }),
    steps: numbered,
    final_metrics: finalMetrics(calls, numbered.length),
    subagent_trajectories: subagents.length === 0 ? undefined : subagents,
    ...taskExtra(view),
  })
}

/**
 * The document of a task, up to its newest event. It holds the document of each subagent, up to the revision at which
 * the result of the subagent was read.
 */
export const atifOf = async (read: ReadStream, stream: string): Promise<Trajectory> => {
  const document = await foldOf(read, stream, Number.POSITIVE_INFINITY)
  if (document === undefined) throw new Error(`there is no task in ${stream}`)
  return document
}
