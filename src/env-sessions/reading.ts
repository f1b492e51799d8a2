// Reads a session as it is now, or as it was after one of its events.
import type { RequestKeys } from '../contract/commands/commands.ts'
import { sessionEvents } from '../contract/decoders/env-session.ts'
import { envSessionStream } from '../contract/events/env-session-events.ts'
import type { Principal } from '../contract/events/token-events.ts'
import { Refusal } from '../contract/refusals.ts'
import { StorageFailure } from '../contract/stored.ts'
import type { EnvStepAnswer } from '../contract/wire.ts'
import {
  emptySession,
  evolveSession,
  isKeyTaken,
  type SessionView,
  stepAnswerOf,
} from '../history/env-session.ts'
import type { SessionDeps } from './deps.ts'

const always = () => true

export const viewOf = ({ runtime }: Pick<SessionDeps, 'runtime'>, id: string): Promise<SessionView> =>
  runtime.until(envSessionStream(id), always)

/** The refusal of an operation on a session that has ended or never existed. */
export const lost = ({ closeReason }: SessionView): Refusal =>
  new Refusal('SessionNotFound', closeReason === undefined ? undefined : { reason: closeReason })

/**
 * The view of a session that the principal may see. Throws SessionNotFound otherwise. The row of an active session may
 * be old, since the user of a session never changes. So the rows of a step need not be written before the next step.
 */
export const viewFor = async (deps: SessionDeps, principal: Principal, id: string): Promise<SessionView> => {
  const { queries } = deps
  if (!queries.wasVisible(principal, id)) queries.visible(principal, id)
  const view = await viewOf(deps, id)
  if (view.state !== 'active') queries.visible(principal, id) // the session may be deleted
  return view
}

/** The view of an active session that the principal may see. Throws a refusal otherwise. */
export const active = async (deps: SessionDeps, principal: Principal, id: string): Promise<SessionView> => {
  const view = await viewFor(deps, principal, id)
  if (view.state !== 'active') throw lost(view)
  return view
}

/** The session after the event of this revision. */
export const foldTo = async (
  { log }: Pick<SessionDeps, 'log'>,
  stream: string,
  revision: number,
): Promise<SessionView> => {
  const view = emptySession()
  for await (const page of log.readStream(stream)) {
    for (const event of page) {
      if (event.header.revision <= revision) evolveSession(view, sessionEvents.read(event))
    }
  }
  return view
}

/** The answer of the step whose result the log holds at this revision. */
export const answerAt = async (
  deps: Pick<SessionDeps, 'log'>,
  stream: string,
  view: SessionView,
  revision: number,
): Promise<EnvStepAnswer> => {
  const then = view.revision === revision ? view : await foldTo(deps, stream, revision)
  if (then.created === undefined || then.newest === undefined)
    throw new Error('there is no result of a step at this revision')
  return stepAnswerOf(then.created, then.newest, then.tools)
}

/** Refuses a request whose key belongs to another request of this session. */
export const mustBeNew = (view: SessionView, keys: RequestKeys, { id }: Principal): void => {
  if (isKeyTaken(view, keys, id)) throw new Refusal('Conflict', { idempotency_key: keys.idempotencyKey })
}

/**
 * Settles the interrupted step of a session, if there is one, and returns the view. A step is interrupted if it was
 * begun, has no result, and does not run any more.
 */
export const settled = async (
  { runtime, log }: Pick<SessionDeps, 'runtime' | 'log'>,
  id: string,
): Promise<SessionView> => {
  const view = await viewOf({ runtime }, id)
  if (view.open === undefined) return view
  const settle = () => runtime.ask(envSessionStream(id), { type: 'SettleStep', ...view.openBy })
  // A task that waits for this would take a failed write for the result of its call.
  return settle().catch(async error => {
    if (!(error instanceof StorageFailure)) throw error
    await log.opened()
    return settle()
  })
}

/** Refuses when the session's user has no room on the disk. */
export const mustHaveRoom = async (
  { disk }: Pick<SessionDeps, 'disk'>,
  { created }: SessionView,
): Promise<void> => {
  if (created !== undefined) await disk.mustHaveRoom(created.user_id)
}
