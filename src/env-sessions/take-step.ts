// Takes a step of a session in its turn, whoever asks: a request, or a call of a task.
import type { StepWish } from '../contract/env-session-commands.ts'
import { envSessionStream } from '../contract/env-session-events.ts'
import type { EnvStepAnswer } from '../contract/wire.ts'
import { type SessionView, takenAt } from '../history/env-session.ts'
import type { Shared } from './deps.ts'
import { answerAt, lost, settle, viewOf } from './reading.ts'

type Who = { principal: string; causation: string }

const takeInTurn = async (deps: Shared, id: string, step: StepWish, who: Who): Promise<SessionView> => {
  const { runtime } = deps
  const stream = envSessionStream(id)
  const { created } = await settle(deps, stream, await viewOf(deps, id))
  // Only the author of a `refold` environment says that its actions may be repeated.
  if (created?.recovery !== 'refold') await runtime.ask(stream, { type: 'IntendStep', step, ...who })
  return runtime.ask(stream, { type: 'TakeStep', step, ...who })
}

export const takeStep = async (
  deps: Shared,
  id: string,
  asked: StepWish,
  who: Who,
): Promise<{ answer: EnvStepAnswer; revision: number }> => {
  deps.steps.mustNotBeMany(id)
  const { signal, watchDisk, worded, over } = deps.steps.add(id, asked)
  const step = { ...asked, signal }
  try {
    watchDisk(await viewOf(deps, id))
    const view = await deps.turns.take(id, () => takeInTurn(deps, id, step, who)).catch(worded)
    const revision = takenAt(view, step, who.principal)
    if (revision === undefined) throw lost(view)
    return { answer: await answerAt(deps, envSessionStream(id), view, revision), revision }
  } finally {
    over()
  }
}
