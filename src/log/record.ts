// The door for streams that have no actor: erasures, legal holds, retention, recorded reads, lists of tools, keys of the
// log, and the log itself. Nothing else appends but the runtime of actors (actors/runtime/turn.ts).
import type { Log, NewEvent, Recorded } from '../contract/stored.ts'

/** The principal that causes events, and the id of its request. */
export type By = { principal: string; causation: string }
type Event = { type: string; data: object }

/**
 * Appends events behind the newest ones of a stream, and resolves to them when they are durable. The log orders them in
 * this turn of the event loop: what the caller has read of the stream in the same turn still holds then. `owner`: the
 * user to whom the events belong. Rejects with StorageFailure.
 */
export const record = async (
  log: Pick<Log, 'append' | 'revisionOf'>,
  stream: string,
  events: readonly Event[],
  { principal, causation }: By,
  owner = '',
): Promise<Recorded[]> => {
  const about = { owner, session_id: '', correlation_id: stream, causation_id: causation }
  const expectedRevision = log.revisionOf(stream)
  const stored = events.map(({ type, data }): NewEvent => ({ type, schema_version: 1, data }))
  return log.append([{ stream, expectedRevision, principal, ...about, events: stored }])
}
