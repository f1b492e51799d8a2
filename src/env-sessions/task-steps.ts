// Connects a task with the environment session that has the id of the task's session: the task gets the tools of that
// session, and calls of these tools are steps of the session.
import type { StepRequest } from '../contract/commands/env-session-commands.ts'
import type { Recovery } from '../contract/environment.ts'
import { envSessionStream } from '../contract/events/env-session-events.ts'
import { StorageFailure } from '../contract/stored.ts'
import { OutcomeUnknown } from '../contract/tools.ts'
import type { ToolDefinition } from '../contract/wire.ts'
import type { Shared } from './deps.ts'
import { mustHaveRoom, settled, viewOf } from './reading.ts'
import { type StepCaller, takeStep } from './take-step.ts'

/** The tools of the session if it belongs to the user. A session that has ended, or whose episode is over, has none. */
export const toolsFor = async (
  deps: Shared,
  sessionId: string,
  userId: string,
): Promise<{ tools: ToolDefinition[]; recovery?: Recovery }> => {
  const row = deps.queries.rowById(sessionId)
  if (row === undefined || row.is_active === 0 || row.user_id !== userId) return { tools: [] }
  const { state, done, tools, created } = await viewOf(deps, sessionId)
  if (state !== 'active' || done || created === undefined) return { tools: [] }
  return { tools, recovery: created.recovery }
}

/** Whether the user has an environment session with this id. */
export const isOf = ({ queries }: Shared, sessionId: string, userId: string): boolean =>
  queries.rowById(sessionId)?.user_id === userId

/** Whether the session has begun the step of this effect, whatever happened to the step since. */
export const hasBegun = async (
  deps: Shared,
  sessionId: string,
  userId: string,
  effectId: string,
): Promise<boolean> => {
  if (!isOf(deps, sessionId, userId)) return false
  const { byEffect, unknown } = await settled(deps, sessionId)
  return byEffect.has(effectId) || unknown.has(effectId)
}

export type TaskStep = Omit<StepRequest, 'keys'> & { attempt: number }
/**
 * Takes a call of a task as a step of its session; a repeated call of the same effect is the same step. Rejects with
 * OutcomeUnknown when this attempt has begun and its outcome is unknown, and when the log cannot be written.
 */
export const takeFor = async (deps: Shared, sessionId: string, step: TaskStep, caller: StepCaller) => {
  const view = await settled(deps, sessionId)
  const isUnknown = (view.unknown.get(step.effectId) ?? 0) >= step.attempt
  if (isUnknown)
    throw new OutcomeUnknown('the outcome of this step is unknown: the server stopped while it ran')
  if (!view.byEffect.has(step.effectId)) await mustHaveRoom(deps, view)
  const cause = { principal: 'system', causation: step.effectId }
  const { answer, revision } = await takeStep(deps, sessionId, { ...step, keys: {} }, caller, cause).catch(
    error => {
      throw error instanceof StorageFailure ? new OutcomeUnknown(error.message) : error
    },
  )
  const showsObservation = view.created?.shows_observation === true
  return { answer, showsObservation, at: { stream: envSessionStream(sessionId), revision } }
}
