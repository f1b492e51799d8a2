// A session as it is now, and as it was after one of its events.
import type { RequestKeys } from '../contract/commands.ts'
import { envSessionStream } from '../contract/env-session-events.ts'
import { Refusal } from '../contract/refusals.ts'
import type { Principal } from '../contract/token-events.ts'
import type { EnvStepAnswer } from '../contract/wire.ts'
import {
  emptySession,
  evolveSession,
  isKeyTaken,
  type SessionView,
  stepAnswerOf,
} from '../history/env-session.ts'
import type { SessionDeps, Shared } from './deps.ts'

const always = () => true

export const viewOf = ({ runtime }: Pick<SessionDeps, 'runtime'>, id: string): Promise<SessionView> =>
  runtime.until(envSessionStream(id), always)

/** The refusal of what is asked of a session that has ended, or never was. */
export const lost = ({ closeReason }: SessionView): Refusal =>
  new Refusal('SessionNotFound', closeReason === undefined ? undefined : { reason: closeReason })

/** The view of a session that is active and that the principal may see. */
export const active = async (deps: SessionDeps, principal: Principal, id: string): Promise<SessionView> => {
  const row = deps.queries.visible(principal, id)
  const view = await viewOf(deps, id)
  if (row.is_active === 0 || view.state !== 'active') throw lost(view)
  return view
}

/** The session as it was after the event of this revision. */
export const foldTo = async (
  { log }: Pick<SessionDeps, 'log'>,
  stream: string,
  revision: number,
): Promise<SessionView> => {
  const view = emptySession()
  for await (const page of log.readStream(stream)) {
    for (const event of page) if (event.header.revision <= revision) evolveSession(view, event)
  }
  return view
}

/** The answer that a step got, as it was given. */
export const answerAt = async (
  deps: Pick<SessionDeps, 'log'>,
  stream: string,
  view: SessionView,
  revision: number,
): Promise<EnvStepAnswer> => {
  const then = view.revision === revision ? view : await foldTo(deps, stream, revision)
  if (then.created === undefined || then.newest === undefined) throw new Error('that was no step')
  return stepAnswerOf(then.created, then.newest, then.tools)
}

/** Refuses a request whose key belongs to another one of this session. */
export const mustBeNew = (view: SessionView, keys: RequestKeys, { id }: Principal): void => {
  if (isKeyTaken(view, keys, id)) throw new Refusal('Conflict', { idempotency_key: keys.idempotencyKey })
}

/** A step that was begun and has no result is settled, if nothing runs that may still give one. */
export const settle = async (
  { runtime }: Pick<SessionDeps, 'runtime'>,
  stream: string,
  view: SessionView,
): Promise<SessionView> =>
  view.open === undefined ? view : runtime.ask(stream, { type: 'TellLostStep', ...view.openBy })

/** The view, after a step that was cut off is settled. */
export const settled = async (deps: Shared, id: string): Promise<SessionView> => {
  const view = await viewOf(deps, id)
  const isCutOff = view.open !== undefined && !deps.turns.isBusy(id)
  return isCutOff
    ? deps.turns.take(id, async () => settle(deps, envSessionStream(id), await viewOf(deps, id)))
    : view
}

/** Room on the disk of the session's user. */
export const mustHaveRoom = async (
  { disk }: Pick<SessionDeps, 'disk'>,
  { created }: SessionView,
): Promise<void> => {
  if (created !== undefined) await disk.mustHaveRoom(created.user_id)
}
