// Keeps the events of reads until the log has them. After a failed append they are kept for the next one, unless the log
// has them all the same.
import { accessStream, type ReadAccess, type ReadAccessLost } from '../contract/access-events.ts'
import type { Clock } from '../contract/ports.ts'
import type { NewEvent } from '../contract/stored.ts'
import type { EventLog } from '../log/log.ts'

export type AccessLog = Pick<EventLog, 'append' | 'revisionOf' | 'opened'>

/** Events of one append, and their size in memory. `lost`: how many lost reads they tell. */
type Portion = { count: number; size: number; lost: number }

const eventOf = (type: string, data: ReadAccess | ReadAccessLost): NewEvent => ({
  type,
  schema_version: 1,
  data,
})

export const createUnstoredReads = (log: AccessLog, clock: Clock) => {
  let kept: ReadAccess[] = []
  let size = 0
  let lost = 0
  /** The newest append, if it has failed, and the revision of its stream before it. */
  let doubtful: (Portion & { stream: string; revision: number }) | undefined

  const forget = ({ count, ...portion }: Portion): void => {
    kept = kept.slice(count)
    size -= portion.size
    lost -= portion.lost
    doubtful = undefined
  }
  const append = async (events: NewEvent[], portion: Portion): Promise<void> => {
    const stream = accessStream(new Date(clock.now()).toISOString().slice(0, 10))
    const expectedRevision = log.revisionOf(stream)
    doubtful = { ...portion, stream, revision: expectedRevision }
    const of = { principal: 'system', owner: '', session_id: '', correlation_id: stream }
    await log.append([{ stream, expectedRevision, ...of, causation_id: stream, events }])
    forget(portion)
  }
  return {
    isEmpty: (): boolean => kept.length === 0,
    /** The size of the events in memory, in characters. */
    size: (): number => size,
    add(events: readonly ReadAccess[], characters: number): void {
      kept.push(...events)
      size += characters
    },
    /** Counts a read that is not recorded. Returns how many there are that no event tells. */
    lose: (): number => ++lost,
    /**
     * Stores all events. Resolves to the number of lost reads that they tell; undefined: there was nothing to store.
     * Rejects with StorageFailure.
     */
    async store(): Promise<number | undefined> {
      await log.opened()
      // Nobody else writes to the stream.
      if (doubtful !== undefined && log.revisionOf(doubtful.stream) > doubtful.revision) forget(doubtful)
      const told = lost
      const events = kept.map(event => eventOf('ReadAccess', event))
      if (told > 0) events.push(eventOf('ReadAccessLost', { count: told }))
      if (events.length === 0) return undefined
      await append(events, { count: kept.length, size, lost })
      return told
    },
  }
}
