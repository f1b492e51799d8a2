// Whether each NATS server has a whole copy of the streams, and what an operator does when one never gets it.
import { statesOfCopies } from '../../src/cluster/nats/monitors.ts'
import type { Cluster } from '../support/cluster.ts'
import { type Place, until } from '../support/nats-cluster.ts'

const [shard, lease] = ['REPRISE_SHARD_0', 'REPRISE_LEASE_0'] as const
const places: Place[] = [0, 1, 2]
/** A server that lacks fewer records than this is only a moment behind. */
const fewRecords = 10
/** The most milliseconds until NATS has filled an empty copy; and all copies, of all streams, on a busy machine. */
const [patienceMs, longMs] = [20_000, 60_000]

type Stream = typeof shard | typeof lease

/** The servers whose copies are not whole: behind, or without their first records. The lease drops its first records. */
export const notWhole = async ({ nats }: Cluster, stream: Stream = shard): Promise<Place[]> => {
  const copies = await statesOfCopies(nats.monitorUrls, stream)
  return places.filter(place => {
    const copy = copies[place]
    if (copy === undefined || 'error' in copy || !copy.hasCopy) return true
    return copy.lag >= fewRecords || (stream === shard && copy.first > 1)
  })
}
/** Resolves when each server has the whole log; NATS may need its time, or may never manage it. */
export const filled = (cluster: Cluster): Promise<unknown> =>
  until('whole copies', async () => (await notWhole(cluster)).length === 0, patienceMs).catch(() => {})

/** What an operator does with a copy that NATS does not mend: stops the server, empties its folder, and starts it. */
export const refill = async (cluster: Cluster, which: Place[]): Promise<void> => {
  const { nats } = cluster
  for (const place of which) {
    await nats.kill(place)
    nats.wipe(place)
    await nats.start(place)
    await filled(cluster)
  }
}

const whole = (cluster: Cluster): Promise<unknown> =>
  until(
    'whole copies of the log and the lease',
    async () => {
      const which = [...(await notWhole(cluster)), ...(await notWhole(cluster, lease))]
      if (which.length > 0) throw new Error(`servers ${which.join()}`)
      return true
    },
    longMs,
  )

/**
 * Resolves when a server can be lost, as an operator waits for exit code 0 before going on. A server whose copy does not become
 * whole is emptied. Resolves to how many were.
 */
export const redundant = async (cluster: Cluster): Promise<number> => {
  if ((await whole(cluster).catch(() => undefined)) !== undefined) return 0
  const which = [...new Set([...(await notWhole(cluster)), ...(await notWhole(cluster, lease))])]
  await refill(cluster, which.slice(0, 1))
  await whole(cluster)
  return 1
}
