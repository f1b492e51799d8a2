// Rollouts: a task told step by step for trainers and auditors, folded from the log whenever it is asked for.
import type { Recorded } from '../contract/stored.ts'
import type { TaskEventData } from '../contract/task-events.ts'
import type { OutputItem } from '../contract/wire.ts'
import { assemble, firstSeen, ownPast, type ReadStream } from './context.ts'
import { emptyTask, evolve, type TaskView } from './task-view.ts'

/** One completed agent step: what it saw and what it said. */
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
  input_messages: OutputItem[]
  output_messages: OutputItem[]
}

const rolloutId = (taskId: string, step: number): string => `rollout_${taskId}_${step}`

export const isStepEnd = (event: Recorded): event is Recorded<TaskEventData<'AgentStepCompleted'>> =>
  event.header.type === 'AgentStepCompleted'

/** The entry of the step that `event` completed, with the view as it is after it. `first`: what the task saw first. */
export const rolloutOf = (
  view: TaskView,
  { position, header, data }: Recorded<TaskEventData<'AgentStepCompleted'>>,
  first: OutputItem[],
): Rollout => {
  const { created } = view
  if (created === undefined) throw new Error('a step of no task')
  const said = new Set(view.stepItems)
  const isOwn = (item: OutputItem) => item.id !== undefined && said.has(item.id)
  const { parent_task_id, parent_agent_step } = created
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
    turn: 1 + view.messages.filter(({ at }) => at !== undefined).length,
    step: data.agent_step,
    is_answer: data.final === true,
    is_compress: false,
    inference_args: created.request.inference_args ?? {},
    tools: created.request.client_tools ?? [],
    request: { agent: created.agent },
    usage: data.usage ?? null,
    reward: null,
    input_messages: assemble([...first, ...ownPast(view).filter(item => !isOwn(item))]),
    output_messages: view.output.filter(isOwn),
  }
}

/** The subagents' entries that belong to a task: each child's as far as its result says that it was read. */
export const childRollouts = async (read: ReadStream, view: TaskView): Promise<Rollout[]> => {
  const lists: Rollout[][] = []
  for (const { stream, revision } of view.children) {
    lists.push((await rolloutsOf(read, stream, { subagents: true, upTo: revision })).rollouts)
  }
  return lists.flat()
}

/** The newest reward stands on the last entry. */
export const rewarded = (rollouts: Rollout[], { rewards }: TaskView): Rollout[] => {
  const reward = rewards.at(-1)?.value
  return rollouts.map((rollout, n) =>
    reward === undefined || n < rollouts.length - 1 ? rollout : { ...rollout, reward },
  )
}

export const byPosition = (a: Rollout, b: Rollout) => a.position - b.position

/** All entries of a stream, and its fold; with those of its subagents when asked, or when the task's request did. */
export const rolloutsOf = async (
  read: ReadStream,
  stream: string,
  { subagents, upTo = Number.POSITIVE_INFINITY }: { subagents?: boolean; upTo?: number } = {},
): Promise<{ rollouts: Rollout[]; view: TaskView }> => {
  const view = emptyTask()
  const rollouts: Rollout[] = []
  let first: OutputItem[] | undefined
  for await (const page of read(stream)) {
    for (const event of page) {
      if (event.header.revision > upTo) continue
      evolve(view, event)
      if (!isStepEnd(event)) continue
      first ??= await firstSeen(read, view)
      rollouts.push(rolloutOf(view, event, first))
    }
  }
  const withOthers = subagents ?? view.created?.request.include_subagent_rollout
  const others = withOthers ? await childRollouts(read, view) : []
  return { rollouts: [...rewarded(rollouts, view), ...others].sort(byPosition), view }
}
