// What a task's state wants running, from the stored facts and what runs in this process. Pure.
import { isTerminal } from '../../src/contract/wire.ts'
import { type OpenCall, openCalls } from '../../src/history/task/calls.ts'
import { effectIdOf } from '../../src/history/task/steps.ts'
import { outcomeUnknown } from '../../src/history/task-object.ts'
import type { TaskView } from '../../src/history/task-view.ts'

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

export const wanted = (view: TaskView, runs: Runs): Wanted => {
  const { status, openStep } = view
  if (status === 'absent' || isTerminal(status)) return { want: 'nothing' }
  if (view.cancelRequested) return { want: 'finish-cancel' }
  if (status !== 'working') return { want: 'nothing' }
  if (openStep !== undefined && openStep.effectId !== runs.step) return { want: 'abandon' }
  const open = view.calls.size === 0 ? [] : openCalls(view)
  if (open.length > 0) {
    // A call of an earlier life runs again if it is safe, goes on if a task of its own does it, and an environment
    // session is asked for its step. Of any other nobody knows whether it happened: that is said when the rest has
    // its results.
    const known = ({ effect: { id, safe, inSession, child } }: OpenCall) =>
      safe || child !== undefined || runs.call(id) || (inSession && !runs.unknown(id))
    const calls = open.filter(known)
    return calls.length > 0 ? { want: 'calls', calls } : { want: 'pause', reason: outcomeUnknown }
  }
  if (view.pauseRequested && runs.step === undefined) return { want: 'pause', reason: 'pause_requested' }
  if (view.inbox.length > 0 && runs.step === undefined) return { want: 'consume' }
  return { want: 'step', agentStep: view.completedSteps + 1, effectId: effectIdOf(view) }
}
