// Decides, before a command is carried out, whether the session refuses it or has carried it out already. Pure.

import type {
  Repeats,
  SessionCommand,
  SessionRequest,
  StepRequest,
} from '../../src/contract/commands/env-session-commands.ts'
import { isSameJson } from '../../src/contract/json/canonical.ts'
import { Refusal, unexpectedStep } from '../../src/contract/refusals.ts'
import { isKeyTaken, nameOfKey, type SessionView, takenAt } from '../../src/history/env-session.ts'

const gone = (view: SessionView): Refusal =>
  new Refusal('SessionNotFound', view.closeReason === undefined ? undefined : { reason: view.closeReason })

/** `nothing`: the session already is as the command wants it. */
export type Check = 'do' | 'nothing'

const checkStep = (view: SessionView, { expectedStep }: StepRequest): Check => {
  if (expectedStep !== undefined && expectedStep !== view.step + 1)
    throw unexpectedStep(expectedStep, view.step)
  if (view.done) throw new Refusal('SessionDone', { step: view.step })
  return 'do'
}

/**
 * `repeats` comes from the caller. For a request without an idempotency key, it says whether the request may be a
 * repetition of the earlier request that stored the event of a given revision.
 */
export const check = (
  view: SessionView,
  command: SessionRequest | Extract<SessionCommand, { type: 'SettleStep' }>,
  repeats?: Repeats,
): Check => {
  const { state, created } = view
  if (command.type === 'CreateSession') {
    const { session, source, keys, principal } = command
    // A session of another user does not exist for this caller.
    if (created !== undefined && created.user_id !== session.user_id) throw new Refusal('SessionNotFound')
    // A repeated create gets the earlier answer and opens nothing. If the session was deleted since, it is refused.
    const { idempotencyKey: key, digest } = keys
    const known = key === undefined ? undefined : view.byCreateKey.get(nameOfKey(principal, key))
    if (known !== undefined) {
      const isDeleted = view.deletedAt !== undefined && known.revision < view.deletedAt
      if (known.digest === digest && !isDeleted) return 'nothing'
      throw new Refusal('Conflict', { idempotency_key: key })
    }
    if (state !== 'active') return 'do'
    if (created?.source.name === source.name && isSameJson(created.kwargs, session.kwargs)) return 'nothing'
    throw new Refusal('Conflict', { session_id: session.session_id })
  }
  if (state === 'absent' || state === 'deleted') throw gone(view)
  if (command.type === 'DeleteSession') return 'do'
  if (command.type === 'CloseSession') return state === 'closed' ? 'nothing' : 'do'
  // A repeated request gets the earlier answer, even if the session was closed since.
  const step = command.type === 'TakeStep' ? command.step : undefined
  const asked = command.type === 'ResetSession' ? { keys: command.keys } : step
  if (command.type === 'SettleStep') return view.open === undefined ? 'nothing' : 'do'
  if (asked !== undefined && takenAt(view, asked, command.principal, repeats) !== undefined) return 'nothing'
  if (state !== 'active') throw gone(view)
  if (asked !== undefined && isKeyTaken(view, asked.keys, command.principal)) {
    throw new Refusal('Conflict', { idempotency_key: asked.keys.idempotencyKey })
  }
  return step === undefined ? 'do' : checkStep(view, step)
}
