// Copies an environment session as it was at a position of the log, for the fork of a task.
import { type RecordedSessionEvent, sessionEvents } from '../contract/decoders/env-session.ts'
import { envSessionEventVersion, envSessionStream } from '../contract/events/env-session-events.ts'
import { Invalid } from '../contract/refusals.ts'
import type { NewEvent, StreamAppend } from '../contract/stored.ts'
import { emptySession, evolveSession, type SessionView } from '../history/env-session.ts'
import { copyOfSessionEvent } from '../history/fork/copy-session.ts'
import type { NewIds } from '../history/fork/new-ids.ts'
import { type Asked, by, type SessionDeps } from './deps.ts'

export type ForkSession = { sessionId: string; userId: string; position: number; ids: NewIds }
export type SessionCopy = {
  /** The events of the copy, which must be stored together with the task. */
  append: StreamAppend
  /** Gives back the place in the quota. Call it when the copy is abandoned, or stored and counted by the quota. */
  release(): void
  /** Call it when the copy could not be stored. */
  abandon(): Promise<void>
}

const cannot = (why: string) =>
  new Invalid([
    {
      loc: ['body', 'at'],
      msg: `The environment session of the task cannot be copied at this frame: ${why}`,
      type: 'value_error',
    },
  ])

/** The events of the session up to a position, and the session after them. */
const past = async ({ log }: SessionDeps, stream: string, position: number) => {
  const events: RecordedSessionEvent[] = []
  const view = emptySession()
  for await (const page of log.readStream(stream)) {
    for (const stored of page) {
      if (stored.position > position) return { events, view }
      const event = sessionEvents.read(stored)
      events.push(event)
      evolveSession(view, event)
    }
  }
  return { events, view }
}

/** Copies the kept state if the environment comes back from such a state. Throws Invalid if it cannot be copied. */
const copyState = async (
  { folders }: SessionDeps,
  { created, snapshot, isUnkept }: SessionView,
  session_id: string,
): Promise<void> => {
  if (created === undefined || created.recovery === 'refold') return
  if (created.recovery === 'none') throw cannot('an environment of this kind cannot come back')
  const copy = { session_id, user_id: created.user_id }
  if (snapshot === undefined || isUnkept || !(await folders.copyState(created, copy, snapshot))) {
    throw cannot('its state at that time is not kept any more. The newest two states are kept')
  }
}

/** The events of the copy. Its newest `EnvSessionCreated` counts as a new event, all other events as copies. */
const eventsOf = (
  { secrets, ids: makeIds }: SessionDeps,
  { stream, ids }: { stream: string; ids: NewIds },
  events: RecordedSessionEvent[],
): { events: NewEvent[]; refs: string[] } => {
  const refs: string[] = []
  const renamed = (ref: string, now: string) => {
    const values = secrets.get(ref)
    if (values === undefined) return
    secrets.put(now, values)
    refs.push(now)
  }
  const copying = { ids, stream, sessionRef: () => makeIds.next('sec_'), renamed }
  const newest = events.findLast(({ type }) => type === 'EnvSessionCreated')
  const copied = events.map((event): NewEvent => {
    const { header } = event
    const copy = { ...copyOfSessionEvent(event, copying), schema_version: envSessionEventVersion }
    return event === newest ? copy : { ...copy, copy_of: `${header.stream}@${header.revision}` }
  })
  return { events: copied, refs }
}

/**
 * Prepares a copy of a session under the session id of the fork; undefined when the user had no such active session at
 * that position. The caller must store the copy at once. Throws Invalid when the environment cannot come back, or a
 * Refusal when the user has too many sessions.
 */
export const forkSession = async (
  deps: SessionDeps,
  asked: Asked,
  { sessionId, userId, position, ids }: ForkSession,
): Promise<SessionCopy | undefined> => {
  if (deps.queries.userOf(sessionId) !== userId) return undefined
  const { events, view } = await past(deps, envSessionStream(sessionId), position)
  const { created, open } = view
  if (view.state !== 'active' || created === undefined) return undefined
  if (deps.queries.rowById(sessionId) === undefined) throw cannot('it was deleted')
  const session_id = ids.task.session_id
  const stream = envSessionStream(session_id)
  const release = deps.quotas.reserveSession(session_id, userId, asked.principal.userId !== undefined)
  let refs: string[] = []
  const abandon = async () => {
    for (const ref of refs) deps.secrets.forget(ref)
    await deps.folders.clear({ session_id, user_id: userId })
  }
  try {
    await deps.disk.mustHaveRoom(userId)
    await copyState(deps, view, session_id)
    // A step that has begun and has no result counts as not begun.
    const whole =
      open === undefined
        ? events
        : events.filter(({ type, data }) => type !== 'EnvStepIntended' || data !== open)
    const copies = eventsOf(deps, { stream, ids }, whole)
    refs = copies.refs
    const { principal, causation: causation_id } = by(asked)
    const envelope = { principal, owner: userId, session_id, correlation_id: session_id, causation_id }
    return {
      append: { stream, expectedRevision: -1, justMade: true, ...envelope, events: copies.events },
      release,
      abandon,
    }
  } catch (error) {
    release()
    await abandon()
    throw error
  }
}
