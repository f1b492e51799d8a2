// Reads the newest beats, for a command that is no node itself.
import type { NatsSettings } from '../bus/nats/nats-settings.ts'
import type { Report, Timers } from '../contract/ports.ts'
import { type Beat, beatOf } from './beat.ts'
import { openSharedLog } from './nats/shared-log.ts'
import { leaseStream } from './nats/streams.ts'

type Deps = { settings: NatsSettings; shard: number; timers: Timers; report: Report; waitMs: number }

/** The stream of a lease keeps no more beats than this. */
const mostBeats = 100

/**
 * The newest beat of each node that has sent one of the last hundred, the newest first. Rejects with Unknown, or with
 * CannotStart when the stream does not exist.
 */
export const lastBeats = async ({ shard, ...deps }: Deps): Promise<Beat[]> => {
  const log = await openSharedLog({ ...leaseStream(shard), ...deps })
  try {
    const end = await log.tail()
    const records = end === 0 ? [] : await log.read(Math.max(0, end - mostBeats), mostBeats)
    const newest = new Map<string, Beat>()
    for (const { bytes } of records.reverse()) {
      const beat = beatOf(bytes)
      if (beat !== undefined && !newest.has(beat.node)) newest.set(beat.node, beat)
    }
    return [...newest.values()]
  } finally {
    await log.close()
  }
}
