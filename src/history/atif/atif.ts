// A task as an ATIF trajectory, folded from the log whenever it is asked for: what it was told, and one step for each
// completed step of its agent. What an abandoned step said, and a message that no step has seen, is not in it.
import { type RecordedTaskEvent, taskEvents } from '../../contract/decoders/task.ts'
import type { TaskEventData } from '../../contract/task-events.ts'
import type { MessageItem, OutputItem, ToolDefinition, ToolResultItem } from '../../contract/wire.ts'
import { assemble, firstSeen, inputsOf, type ReadStream, seenNext } from '../context.ts'
import { formOf } from '../task/course.ts'
import { system } from '../task/messages.ts'
import { promptIds } from '../task/model-calls.ts'
import { itemOf } from '../task/output.ts'
import { emptyTask, evolve, type TaskView } from '../task-view.ts'
import { toolListReader } from '../tool-lists.ts'
import { extraOf, given, type Metrics, type Step, type Trajectory } from './format.ts'
import { finalMetrics, metricsOf } from './metrics.ts'
import { addResult, agentStep, copied, copiedSteps, saidTo } from './steps.ts'

type StepEnd = TaskEventData<'AgentStepCompleted'>

/** What is known of a step's model call and has no field of its own. */
const callExtra = ({ agent_step, request, response }: StepEnd) => ({
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

/** The effort that its model was asked for. */
const effortOf = (view: TaskView): string | number | undefined => {
  const effort = inferenceArgs(view).reasoning_effort
  return typeof effort === 'string' || typeof effort === 'number' ? effort : undefined
}

const stepOf = (
  view: TaskView,
  data: StepEnd,
  said: OutputItem[],
  timestamp: string,
  metrics: Metrics | undefined,
): Step => {
  const { request, response } = data
  const { extra, ...step } = agentStep(said, response?.call_ids)
  return given<Step>({
    timestamp,
    ...step,
    model_name: response?.model ?? request?.model,
    reasoning_effort: request && effortOf(view),
    llm_call_count: request && 1,
    metrics,
    ...extraOf({ ...extra, ...callExtra(data) }),
  })
}

/** What its model is told that it is, if anything. */
const promptSteps = ({ created }: TaskView): Step[] => {
  const message = created?.request.agent_config?.developer_prompt
  return message ? [{ source: 'system', message }] : []
}

/** A summary takes the place of all that was seen; what is seen beside it still is repeated after it. */
const compressedSteps = (
  view: TaskView,
  first: OutputItem[],
  data: StepEnd & { compressed: NonNullable<StepEnd['compressed']> },
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
  const beside = copiedSteps(seenNext(view, first).filter(({ id }) => id !== item_id))
  return [compaction, ...promptSteps(view).map(copied), ...beside]
}

/** What was written to the agent and is seen now; the system writes to it when its answer will not do. */
const consumedSteps = (view: TaskView, items: string[], timestamp: string): Step[] =>
  view.messages
    .filter(({ id }) => items.includes(id))
    .map(({ by, content }) => {
      const { extra, ...said } = saidTo({ type: 'message', role: 'user', message_content: content })
      return { timestamp, ...said, ...extraOf({ ...extra, by: by === system ? by : undefined }) }
    })

/** What the task was told before its agent began; its own message, the last, is all that is new. */
const openingOf = (view: TaskView, first: OutputItem[]): Step[] => {
  const seen = assemble(first, formOf(view))
  const timestamp = new Date(view.createdAt).toISOString()
  return [
    ...promptSteps(view),
    ...copiedSteps(seen.slice(0, -1)),
    { timestamp, ...saidTo(seen.at(-1) as MessageItem) },
  ]
}

/** The task as a whole, for which ATIF has no words. */
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

/** As far as a revision; undefined when the log has no such task. */
const foldOf = async (read: ReadStream, stream: string, upTo: number): Promise<Trajectory | undefined> => {
  const view = emptyTask()
  const steps: Step[] = []
  const subagents: Trajectory[] = []
  const calls: Metrics[] = []
  /** All that it was ever offered: no call is without its definition. */
  const offered = new Map<string, ToolDefinition>()
  const toolsOf = toolListReader(read)
  let version = ''
  let model: string | undefined
  let first: OutputItem[] | undefined
  const firstItems = async () => (first ??= await firstSeen(read, view))

  const stepEnded = async (data: StepEnd, time: string, prompt: number[] | undefined) => {
    const said = view.stepItems.map(id => itemOf(view, id))
    const metrics = metricsOf(data, said, prompt)
    const { compressed } = data
    model ??= data.request?.model
    if (metrics !== undefined) calls.push(metrics)
    if (compressed === undefined) steps.push(stepOf(view, data, said, time, metrics))
    else steps.push(...compressedSteps(view, await firstItems(), { ...data, compressed }, time, metrics))
  }

  const take = async (event: RecordedTaskEvent) => {
    const { type, data } = event
    const { time, build } = event.header
    const response = type === 'AgentStepCompleted' ? data.response : undefined
    const prompt = response && promptIds(view, response) // told by the ids of the call before
    evolve(view, event)
    if (type === 'TaskCreated') version = build
    if (type === 'ToolsOffered') {
      for (const tool of await toolsOf(data.stream)) offered.set(tool.function.name, tool)
    }
    if (type === 'AgentStepCompleted') await stepEnded(data, time, prompt)
    if (type === 'EffectCompleted') {
      const { child, item_id } = data
      const subagent = child && (await foldOf(read, child.stream, child.revision))
      if (subagent !== undefined) subagents.push(subagent)
      addResult(steps, itemOf(view, item_id) as ToolResultItem, time, subagent)
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
  const told = view.context.length === 0 ? inputsOf(created) : await firstItems()
  const numbered = [...openingOf(view, told), ...steps].map((step, n) => ({ step_id: n + 1, ...step }))
  return given<Trajectory>({
    schema_version: 'ATIF-v1.7',
    session_id: created.session_id,
    trajectory_id: created.task_id,
    agent: given<Trajectory['agent']>({
      name: created.agent,
      version,
      model_name: model ?? created.request.agent_config?.model ?? undefined,
      tool_definitions: view.toolList ? [...offered.values()] : (created.request.client_tools ?? undefined),
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

/** The document of a task, as far as it has come; its subagents', as far as they were read for their results. */
export const atifOf = async (read: ReadStream, stream: string): Promise<Trajectory> => {
  const document = await foldOf(read, stream, Number.POSITIVE_INFINITY)
  if (document === undefined) throw new Error(`there is no task in ${stream}`)
  return document
}
