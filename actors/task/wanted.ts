// Derives the work that a task wants from its state in the chart, its view, and what runs in this process. Pure.
import { isPausing } from '../../src/contract/charts/task-state.ts'
import { isPassive, type OpenCall, openCalls } from '../../src/history/task/calls.ts'
import { effectIdOf } from '../../src/history/task/steps.ts'
import { outcomeUnknown } from '../../src/history/task-object.ts'
import type { DecidedTask } from '../../src/history/task-view.ts'

/** What the state wants: a running effect, or a command that moves the task on. */
export type Wanted =
  | { want: 'nothing' }
  | { want: 'step'; agentStep: number; effectId: string }
  | { want: 'calls'; calls: OpenCall[] }
  /** The code of the agent runs in a host, beside these calls; `timers`: only its timers run. */
  | { want: 'code'; calls: OpenCall[] }
  | { want: 'timers' }
  | { want: 'consume' }
  | { want: 'abandon' }
  | { want: 'pause'; reason: string }
  | { want: 'finish-cancel' }

/**
 * What runs in this process: the step, and calls by effect id. `unknown`: the call's environment session said that the
 * outcome of the call is unknown.
 */
export type Runs = {
  step: string | undefined
  call: (effectId: string) => boolean
  unknown: (effectId: string) => boolean
}

const step = (view: DecidedTask): Wanted => ({
  want: 'step',
  agentStep: view.completedSteps + 1,
  effectId: effectIdOf(view),
})

/** A step that an earlier process began is abandoned and begins again. */
const openStep = (view: DecidedTask, runs: Runs): Wanted =>
  view.openStep?.effectId === runs.step ? step(view) : { want: 'abandon' }

/**
 * A call that an earlier process began runs again if it is safe, and continues if it is a subagent's task or goes on outside. For a step
 * of an environment session, the session is asked. The outcome of any other call is unknown: the task pauses for it
 * once the other calls have their results.
 */
const calls = (view: DecidedTask, runs: Runs): Wanted => {
  const known = ({ effect: { id, safe, inSession, child, promise } }: OpenCall) =>
    safe || (child ?? promise) !== undefined || runs.call(id) || (inSession && !runs.unknown(id))
  const open = openCalls(view).filter(known)
  return open.length > 0 ? { want: 'calls', calls: open } : { want: 'pause', reason: outcomeUnknown }
}

/**
 * The code of an agent runs beside its calls. A side effect of its own, which its host has begun and not reported, may have
 * happened: the task pauses for it, like for any other call with an unknown outcome, once the other calls have their results.
 */
const code = (view: DecidedTask, runs: Runs): Wanted => {
  const active = openCalls(view).filter(call => !isPassive(call))
  const isKnown = ({ effect: { id, safe, inSession, child, promise } }: OpenCall) =>
    safe || (child ?? promise) !== undefined || runs.call(id) || (inSession && !runs.unknown(id))
  const known = active.filter(isKnown)
  if (active.length > known.length) {
    return known.length > 0 ? { want: 'calls', calls: known } : { want: 'pause', reason: outcomeUnknown }
  }
  if (isPausing(view.state) && active.length === 0) return { want: 'pause', reason: 'pause_requested' }
  return { want: 'code', calls: active }
}

/** A step that runs but has no event yet continues. */
const between = (view: DecidedTask, runs: Runs): Wanted =>
  view.inbox.length > 0 && runs.step === undefined ? { want: 'consume' } : step(view)

const wantedByCode = (view: DecidedTask, runs: Runs): Wanted => {
  if (view.status === 'input-required' || view.state.at === 'working.waiting') return { want: 'timers' }
  if (view.state.at === 'working.canceling') return { want: 'finish-cancel' }
  return view.status === 'working' ? code(view, runs) : { want: 'nothing' }
}

export const wanted = (view: DecidedTask, runs: Runs): Wanted => {
  if (view.agentVersion !== undefined) return wantedByCode(view, runs)
  switch (view.state.at) {
    case 'working.ready':
      return between(view, runs)
    case 'working.pausing.ready':
      return runs.step === undefined ? { want: 'pause', reason: 'pause_requested' } : step(view)
    case 'working.thinking':
    case 'working.pausing.thinking':
      return openStep(view, runs)
    case 'working.calling':
    case 'working.pausing.calling':
      return calls(view, runs)
    case 'input-required':
      return openCalls(view).length > 0 ? { want: 'calls', calls: openCalls(view) } : { want: 'nothing' }
    case 'working.canceling':
      return { want: 'finish-cancel' }
    default:
      return { want: 'nothing' }
  }
}
