// Takes a step of a session in its turn, for a request or for a call of a task.
import type { Caller } from '../../actors/env-session/callers.ts'
import type { StepRequest } from '../contract/commands/env-session-commands.ts'
import { envSessionStream } from '../contract/events/env-session-events.ts'
import type { EnvStepAnswer } from '../contract/wire.ts'
import { takenAt } from '../history/env-session.ts'
import type { Shared } from './deps.ts'
import { answerAt, lost, viewOf } from './reading.ts'

export type StepCaller = Caller & { signal: AbortSignal }
type Cause = { principal: string; causation: string }

export const takeStep = async (
  deps: Shared,
  id: string,
  step: StepRequest,
  caller: StepCaller,
  cause: Cause,
): Promise<{ answer: EnvStepAnswer; revision: number }> => {
  const { steps, runtime, callers } = deps
  const stream = envSessionStream(id)
  steps.mustNotBeMany(id)
  const { signal, watchDisk, worded, over } = steps.add(id, caller.signal)
  try {
    watchDisk(await viewOf(deps, id))
    const view = await callers
      .ask({ ...caller, signal }, no => runtime.ask(stream, { type: 'TakeStep', step, no, ...cause }))
      .catch(worded)
    const revision = takenAt(view, step, cause.principal, caller.repeats)
    if (revision === undefined) throw lost(view)
    return { answer: await answerAt(deps, stream, view, revision), revision }
  } finally {
    over()
  }
}
