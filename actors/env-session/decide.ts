// Decides which events the outcome of a request adds to its session. Pure.
import type { Outcome, SessionRequest } from '../../src/contract/commands/env-session-commands.ts'
import type { EnvSessionEvent, Snapshot } from '../../src/contract/events/env-session-events.ts'
import type { ToolDefinition } from '../../src/contract/wire.ts'
import type { SessionView } from '../../src/history/env-session.ts'
import {
  closed,
  completed,
  intended,
  keysOf,
  stepOfUnknownEnd,
  stepTheInstanceDidNotSurvive,
} from './step-events.ts'

const kept = (snapshot: Snapshot | undefined) => (snapshot === undefined ? {} : { snapshot })
const changed = (tools: ToolDefinition[], view: SessionView) =>
  JSON.stringify(tools) === JSON.stringify(view.tools) ? {} : { tools }

const cutOff =
  'the server stopped, or could not write, while the step ran. The session is as it was before the step. ' +
  'To take the step once more, send it as a new request'

/** The event of a step that has a stored intent and no result, and is no longer carried out. */
export const settleStep = (view: SessionView, now: number): EnvSessionEvent[] =>
  stepOfUnknownEnd(view, cutOff, {}, now)

/** The events that end a session. A step that began and has no result is stored first, with what is known about it. */
const ended = (view: SessionView, reason: string, now: number): EnvSessionEvent[] => [
  ...stepOfUnknownEnd(view, reason, { truncated: true, done: true }, now),
  closed(reason),
]

type OutcomeOf<Of extends Outcome['of']> = Extract<Outcome, { of: Of }>

/** The events after the instance was lost. */
const afterLoss = (
  view: SessionView,
  request: SessionRequest,
  { reason, during, now }: OutcomeOf<'loss'>,
): EnvSessionEvent[] => {
  if (view.state !== 'active') return []
  if (request.type !== 'TakeStep' || during !== 'step') return ended(view, reason, now)
  return [stepTheInstanceDidNotSurvive(view, request.step, now, reason), closed(reason)]
}

/** The events after the instance was closed on request. */
const afterClose = (view: SessionView, request: SessionRequest, now: number): EnvSessionEvent[] => {
  if (request.type === 'CloseSession') return ended(view, request.reason, now)
  if (request.type !== 'DeleteSession') return []
  const deleted: EnvSessionEvent = { type: 'EnvSessionDeleted', data: { by: request.principal } }
  return [...(view.state === 'active' ? ended(view, 'deleted', now) : []), deleted]
}

/** The events after an instance was created or reset. */
const afterReset = (
  view: SessionView,
  request: SessionRequest,
  { now, answer, recovery, showsObservation, snapshot }: OutcomeOf<'reset'>,
): EnvSessionEvent[] => {
  const { observation, state, done, tools } = answer
  const before = view.step === 0 || view.state === 'deleted' ? {} : { steps_before: view.step }
  const seen = { now, observation, state, done, ...before, ...kept(snapshot) }
  if (request.type === 'CreateSession') {
    const { source, seed, keys } = request
    const { name, digest } = source
    const shown = showsObservation ? { shows_observation: true as const } : {}
    const made = { source: { name, digest }, recovery, ...shown, seed, tools }
    return [{ type: 'EnvSessionCreated', data: { ...request.session, ...made, ...seen, ...keysOf(keys) } }]
  }
  if (request.type !== 'ResetSession') return []
  const { seed, options, keys } = request
  const data = { seed, options, ...seen, ...changed(tools, view), ...keysOf(keys) }
  return [{ type: 'EnvSessionReset', data }]
}

export const decideOutcome = (
  view: SessionView,
  request: SessionRequest,
  outcome: Outcome,
): EnvSessionEvent[] => {
  switch (outcome.of) {
    case 'loss':
      return afterLoss(view, request, outcome)
    case 'closed':
      return afterClose(view, request, outcome.now)
    case 'reset':
      return afterReset(view, request, outcome)
    case 'ready':
      return request.type === 'TakeStep' ? [intended(view, request.step, outcome.now)] : []
    case 'step':
      return request.type === 'TakeStep' ? [completed(view, request.step, outcome)] : []
    case 'seen':
    case 'nothing':
      return []
  }
}
