// Derives the work that a task wants from its state in the chart, its view, and what runs in this process. Pure.
import { isPausing } from '../../src/contract/charts/task-state.ts'
import {
  canGoOn,
  isAsking,
  isPassive,
  isResting,
  type OpenCall,
  openCalls,
} from '../../src/history/task/calls.ts'
import { effectIdOf } from '../../src/history/task/steps.ts'
import { outcomeUnknown } from '../../src/history/task-object.ts'
import type { DecidedTask } from '../../src/history/task-view.ts'

/** What the state wants: a running effect, or a command that moves the task on. */
export type Wanted =
  | { want: 'nothing' }
  | { want: 'step'; agentStep: number; effectId: string }
  | { want: 'calls'; calls: OpenCall[] }
  /** The code of the agent runs in a host, beside these calls; `timers`: only its timers run, beside calls that ask the client. */
  | { want: 'code'; calls: OpenCall[] }
  | { want: 'timers'; calls: OpenCall[] }
  /** An earlier process ran this call, which has ended with it. Its questions to the client are taken back. */
  | { want: 'ask-no-more'; call: OpenCall }
  | { want: 'consume' }
  | { want: 'abandon' }
  | { want: 'pause'; reason: string }
  | { want: 'finish-cancel' }

/**
 * What runs in this process: the step, and calls by effect id, also those that are about to begin. `asks`: only those that have begun, and so
 * can ask. `unknown`: the call's environment session said that the
 * outcome of the call is unknown.
 */
export type Runs = {
  step: string | undefined
  call: (effectId: string) => boolean
  asks: (effectId: string) => boolean
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

/** Whether a call runs here, goes on here, or may run again. A call that rests does neither: it only waits for its client. */
const isKnown =
  (runs: Runs) =>
  (call: OpenCall): boolean => {
    const { id, inSession } = call.effect
    if (isResting(call)) return runs.asks(id)
    return canGoOn(call) || runs.call(id) || (inSession && !runs.unknown(id))
  }

/** A call that asks its client and that no process can go on with. */
const lostAsk = (view: DecidedTask, runs: Runs): Wanted | undefined => {
  const isLost = (call: OpenCall) =>
    isAsking(call) && !isResting(call) && call.effect.promise === undefined && !runs.asks(call.effect.id)
  const call = openCalls(view).find(isLost)
  return call && { want: 'ask-no-more', call }
}

/** The calls of a task that waits: tasks of subagents, and what asks the client and is not lost. */
const waiting = (view: DecidedTask, runs: Runs): OpenCall[] =>
  openCalls(view).filter(call => call.effect.child !== undefined || (isAsking(call) && isKnown(runs)(call)))

/** The calls that run while the outcome of another one is unknown. Once they have their results, or only ask, the task pauses. */
const beside = (known: OpenCall[]): Wanted =>
  known.every(isAsking) ? { want: 'pause', reason: outcomeUnknown } : { want: 'calls', calls: known }

/**
 * A call that an earlier process began runs again if it is safe, and continues if it is a subagent's task or goes on outside. For a step
 * of an environment session, the session is asked. The outcome of any other call is unknown: the task pauses for it
 * once the other calls have their results or ask the client.
 */
const calls = (view: DecidedTask, runs: Runs): Wanted => {
  const lost = lostAsk(view, runs)
  if (lost !== undefined) return lost
  const known = openCalls(view).filter(isKnown(runs))
  if (openCalls(view).some(call => !isResting(call) && !isKnown(runs)(call))) return beside(known)
  return known.length > 0 ? { want: 'calls', calls: known } : { want: 'nothing' }
}

/**
 * The code of an agent runs beside its calls. A side effect of its own, which its host has begun and not reported, may have
 * happened: the task pauses for it, like for any other call with an unknown outcome, once the other calls have their results or ask.
 */
const code = (view: DecidedTask, runs: Runs): Wanted => {
  const lost = lostAsk(view, runs)
  if (lost !== undefined) return lost
  const active = openCalls(view).filter(
    call => !isPassive(call) && (!isResting(call) || runs.asks(call.effect.id)),
  )
  const known = active.filter(isKnown(runs))
  if (active.length > known.length) return beside(known)
  if (isPausing(view.state) && active.length === 0) return { want: 'pause', reason: 'pause_requested' }
  return { want: 'code', calls: active }
}

/** A step that runs but has no event yet continues. */
const between = (view: DecidedTask, runs: Runs): Wanted =>
  view.inbox.length > 0 && runs.step === undefined ? { want: 'consume' } : step(view)

const wantedByCode = (view: DecidedTask, runs: Runs): Wanted => {
  if (view.status === 'input-required' || view.state.at === 'working.waiting') {
    return lostAsk(view, runs) ?? { want: 'timers', calls: waiting(view, runs).filter(isAsking) }
  }
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
      return lostAsk(view, runs) ?? { want: 'calls', calls: waiting(view, runs) }
    case 'working.canceling':
      return { want: 'finish-cancel' }
    default:
      return { want: 'nothing' }
  }
}
