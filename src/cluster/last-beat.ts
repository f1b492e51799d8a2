// Reads the newest beat, for a command that is no node itself.
import type { NatsSettings } from '../bus/nats-settings.ts'
import type { Report, Timers } from '../contract/ports.ts'
import { type Beat, beatOf } from './beat.ts'
import { openSharedLog } from './nats/shared-log.ts'
import { leaseStream } from './nats/streams.ts'

type Deps = { settings: NatsSettings; shard: number; timers: Timers; report: Report; waitMs: number }

/**
 * Undefined: no node has ever sent a beat. Rejects with Unknown, or with CannotStart when the stream does not exist.
 */
export const lastBeat = async ({ shard, ...deps }: Deps): Promise<Beat | undefined> => {
  const log = await openSharedLog({ ...leaseStream(shard), ...deps })
  try {
    const end = await log.tail()
    const newest = end === 0 ? undefined : (await log.read(end - 1, 1)).at(-1)
    return newest && beatOf(newest.bytes)
  } finally {
    await log.close()
  }
}
