// What a task's state wants running, read off its place in the chart, its view and what runs in this process. Pure.
import { type OpenCall, openCalls } from '../../src/history/task/calls.ts'
import { effectIdOf } from '../../src/history/task/steps.ts'
import { outcomeUnknown } from '../../src/history/task-object.ts'
import type { DecidedTask } from '../../src/history/task-view.ts'

/** What the state wants: something running, or a command that brings the task to where something can be wanted. */
export type Wanted =
  | { want: 'nothing' }
  | { want: 'step'; agentStep: number; effectId: string }
  | { want: 'calls'; calls: OpenCall[] }
  | { want: 'consume' }
  | { want: 'abandon' }
  | { want: 'pause'; reason: string }
  | { want: 'finish-cancel' }

/** What runs in this process: the step, and any call by its effect; of some calls it was found that nobody knows. */
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

/** A step of an earlier life ends here: it begins again. */
const openStep = (view: DecidedTask, runs: Runs): Wanted =>
  view.openStep?.effectId === runs.step ? step(view) : { want: 'abandon' }

/**
 * A call of an earlier life runs again if it is safe, goes on if a task of its own does it, and an environment session
 * is asked for its step. Of any other nobody knows whether it happened: that is said when the rest has its results.
 */
const calls = (view: DecidedTask, runs: Runs): Wanted => {
  const known = ({ effect: { id, safe, inSession, child } }: OpenCall) =>
    safe || child !== undefined || runs.call(id) || (inSession && !runs.unknown(id))
  const open = openCalls(view).filter(known)
  return open.length > 0 ? { want: 'calls', calls: open } : { want: 'pause', reason: outcomeUnknown }
}

/** A step may run of which the log says nothing yet: it goes on. */
const between = (view: DecidedTask, runs: Runs): Wanted =>
  view.inbox.length > 0 && runs.step === undefined ? { want: 'consume' } : step(view)

export const wanted = (view: DecidedTask, runs: Runs): Wanted => {
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
    case 'working.canceling':
      return { want: 'finish-cancel' }
    default:
      return { want: 'nothing' }
  }
}
