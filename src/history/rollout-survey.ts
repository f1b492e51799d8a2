// Finds out which rollouts a task and its subagents have, before any rollout is made.
import { taskEvents } from '../contract/decoders/task.ts'
import { isCodeCall } from './code-call.ts'
import type { ReadStream } from './context.ts'
import type { Records } from './task/records.ts'
import { emptyRecords, evolveRecords } from './task-view.ts'

/**
 * Which rollouts are wanted. `subagents`: also those of subagents. `summaries`: also those of steps that compressed the
 * context. The task's own request decides when a field is absent.
 */
export type Wanted = {
  subagents?: boolean | undefined
  summaries?: boolean | undefined
  /** Ignores the task's events after this revision. */
  upTo?: number
  /** Leaves out steps that completed at this position or before it. */
  after?: number
}

/**
 * An environment step that a call took. `stream`, `revision`: where its result is. `agentStep`: the step of the call.
 */
export type Taken = { agentStep: number; callId: string; stream: string; revision: number }

/** What is known about the rollouts of a stream before any rollout is made. */
export type Survey = {
  stream: string
  upTo: number
  subagents: boolean
  summaries: boolean
  ends: { position: number; isSummary: boolean }[]
  /** The environment steps that the calls of the task took. */
  taken: Taken[]
  children: Records['children']
  /** The newest reward of the task, which the rollout of its last step holds. */
  reward: number | undefined
}

const surveyOf = async (read: ReadStream, stream: string, wanted: Wanted): Promise<Survey> => {
  const { upTo = Number.POSITIVE_INFINITY } = wanted
  const view = emptyRecords()
  const ends: Survey['ends'] = []
  const taken: Taken[] = []
  let isCode = false
  for await (const page of read(stream)) {
    for (const stored of page) {
      if (stored.header.revision > upTo) continue
      const event = taskEvents.read(stored)
      evolveRecords(view, event)
      if (event.type === 'TaskStarted') isCode = event.data.agent_version !== undefined
      if (event.type === 'AgentStepCompleted' && !isCode) {
        ends.push({ position: event.position, isSummary: event.data.compressed !== undefined })
      }
      if (isCodeCall(event)) ends.push({ position: event.position, isSummary: false })
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

/**
 * The survey of a task, then the surveys of its subagents. The stream of a subagent counts up to the revision at which
 * its result was read.
 */
export const surveysOf = async (read: ReadStream, stream: string, wanted: Wanted): Promise<Survey[]> => {
  const own = await surveyOf(read, stream, wanted)
  const { subagents, summaries } = own
  const all = [own]
  for (const { stream, revision } of subagents ? own.children : []) {
    all.push(...(await surveysOf(read, stream, { subagents, summaries, upTo: revision })))
  }
  return all
}
