// Keeps the events of reads until the log has them. After a failed append, the next append contains its events, too,
// unless the log has them already.
import { accessStream, type ReadAccess, type ReadAccessLost } from '../contract/events/access-events.ts'
import type { Clock } from '../contract/ports.ts'
import type { EventLog } from '../log/log.ts'
import { record } from '../log/record.ts'

export type AccessLog = Pick<EventLog, 'append' | 'revisionOf' | 'opened'>

/** How many events one append contains, and their size in memory. `lost`: the number of lost reads that they report. */
type Portion = { count: number; size: number; lost: number }

type AccessEvent = { type: 'ReadAccess'; data: ReadAccess } | { type: 'ReadAccessLost'; data: ReadAccessLost }

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
  const append = async (events: AccessEvent[], portion: Portion): Promise<void> => {
    const stream = accessStream(new Date(clock.now()).toISOString().slice(0, 10))
    doubtful = { ...portion, stream, revision: log.revisionOf(stream) }
    await record(log, stream, events, { principal: 'system', causation: stream })
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
    /** Counts a read that is not recorded. Returns the number of such reads that no stored event reports. */
    lose: (): number => ++lost,
    /**
     * Stores all events. Resolves to the number of lost reads that they report; undefined: there was nothing to store.
     * Rejects with StorageFailure.
     */
    async store(): Promise<number | undefined> {
      await log.opened()
      // Only this module appends to the stream. If the stream has grown, the log has the events of the failed append.
      if (doubtful !== undefined && log.revisionOf(doubtful.stream) > doubtful.revision) forget(doubtful)
      const reported = lost
      const events: AccessEvent[] = kept.map(data => ({ type: 'ReadAccess', data }))
      if (reported > 0) events.push({ type: 'ReadAccessLost', data: { count: reported } })
      if (events.length === 0) return undefined
      await append(events, { count: kept.length, size, lost })
      return reported
    },
  }
}
