// Closes and deletes sessions, including those that were not used for a while and those that cannot be restored.
import { envSessionStream } from '../contract/events/env-session-events.ts'
import { type Asked, by, type Shared } from './deps.ts'
import type { SessionRow } from './queries.ts'

const end = async (deps: Shared, asked: Asked, id: string, reason: string): Promise<void> => {
  const stream = envSessionStream(id)
  await deps.callers.ask({}, no =>
    deps.runtime.ask(stream, { type: 'CloseSession', reason, no, ...by(asked) }),
  )
  await deps.removed(stream)
}

export const closeSession = async (deps: Shared, asked: Asked, id: string): Promise<void> => {
  const { user_id } = deps.queries.visible(asked.principal, id)
  deps.steps.stopAll(id, 'closed')
  await end(deps, asked, id, 'closed')
  deps.disk.changed(user_id)
  deps.lookedAt.delete(id)
}

export const removeSession = async (deps: Shared, asked: Asked, id: string): Promise<void> => {
  const { user_id } = deps.queries.visible(asked.principal, id)
  const stream = envSessionStream(id)
  deps.steps.stopAll(id, 'deleted')
  await deps.callers.ask({}, no => deps.runtime.ask(stream, { type: 'DeleteSession', no, ...by(asked) }))
  await deps.removed(stream)
  deps.disk.changed(user_id)
  deps.lookedAt.delete(id)
}

const isIdle = ({ lookedAt, clock, steps, isNamed }: Shared, row: SessionRow, seconds: number): boolean => {
  const since = Math.max(row.accessed_at, lookedAt.get(row.id) ?? 0)
  const isOld = clock.now() - since > seconds * 1000
  return isOld && steps.count(row.id) === 0 && !isNamed({ id: row.id, userId: row.user_id })
}

/** Closes sessions that were not used for `seconds` and that no unfinished task names. Returns their ids. */
export const closeIdle = async (
  deps: Shared,
  asked: Asked,
  seconds: number,
  userId?: string,
): Promise<string[]> => {
  const idle = deps.queries
    .active()
    .filter(row => (userId === undefined || row.user_id === userId) && isIdle(deps, row, seconds))
  for (const { id } of idle) await end(deps, asked, id, 'inactive')
  return idle.map(({ id }) => id)
}

/** Closes sessions that cannot be restored after a restart. Stores what is known of a step that was interrupted. */
export const closeLost = async ({ queries, runtime, callers }: Shared): Promise<void> => {
  for (const { id, recovery } of queries.active()) {
    if (recovery !== 'none') continue
    const reason = 'the server was restarted, and an environment of this kind does not come back'
    const cause = { principal: 'system', causation: '' }
    await callers.ask({}, no =>
      runtime.ask(envSessionStream(id), { type: 'CloseSession', reason, no, ...cause }),
    )
  }
}
