// Reads environment steps for the rollouts of a task: the state before the step, the action, and the result.
import { sessionEvents } from '../contract/decoders/env-session.ts'
import type { TaskEventData } from '../contract/events/task-events.ts'
import type { ReadStream } from './context.ts'
import { emptySession, evolveSession } from './env-session.ts'

export type EnvStep = {
  session_id: string
  env_id: string
  step: number
  call_id: string
  state_before: Record<string, unknown>
  action: { tool_name: string; tool_args: Record<string, unknown> }
  observation: Record<string, unknown>
  state: Record<string, unknown>
  reward: number
  terminated: boolean
  truncated: boolean
  done: boolean
}

type Place = NonNullable<TaskEventData<'EffectCompleted'>['env_step']>

/** The steps at these revisions of one stream, by revision. */
export const envStepsAt = async (
  read: ReadStream,
  stream: string,
  places: ReadonlySet<Place['revision']>,
): Promise<Map<number, EnvStep>> => {
  const view = emptySession()
  const steps = new Map<number, EnvStep>()
  for await (const page of read(stream)) {
    for (const event of page.map(sessionEvents.read)) {
      const { revision } = event.header
      const state_before = view.observed
      evolveSession(view, event)
      if (event.type !== 'EnvStepCompleted' || !places.has(revision)) continue
      const {
        step,
        effect_id,
        tool_name,
        tool_args,
        observation,
        state,
        reward,
        terminated,
        truncated,
        done,
      } = event.data
      steps.set(revision, {
        session_id: view.created?.session_id ?? '',
        env_id: view.created?.env_id ?? '',
        step,
        call_id: effect_id,
        state_before,
        action: { tool_name, tool_args },
        observation,
        state,
        reward,
        terminated,
        truncated,
        done,
      })
    }
  }
  return steps
}
