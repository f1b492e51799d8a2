// What an operator does with a stream of events that takes nothing any more, as docs/operations.md says: removes it.
import { jetstreamManager } from '@nats-io/jetstream'
import { families, sampleOf } from '../http/exposition.ts'
import type { Cluster } from '../support/cluster.ts'
import { until } from '../support/nats-cluster.ts'
import { eventsStream } from './cluster-nats-followers.ts'

/** The most milliseconds until events reach NATS: the owner says after a minute that they do not. */
const patienceMs = 150_000

/** What the owner says of its events in NATS. */
const relayOf = async (cluster: Cluster) => {
  const { url } = await cluster.owner()
  const found = families(await (await fetch(`${url}/metrics`)).text())
  return {
    isStopped: sampleOf(found, 'reprise_nats_relay_stopped') === 1,
    position: sampleOf(found, 'reprise_nats_relay_position') ?? 0,
    lag: sampleOf(found, 'reprise_nats_relay_lag_positions') ?? Number.POSITIVE_INFINITY,
  }
}

const remove = async ({ nats }: Cluster): Promise<void> => {
  const connection = await nats.connected(undefined, 'events')
  try {
    await (await jetstreamManager(connection)).streams.delete(eventsStream)
  } catch {
    // It is removed when the owner still says that it takes nothing.
  } finally {
    await connection.close()
  }
}

/** Resolves when events reach NATS, to whether the stream had to be removed. Somebody must write meanwhile. */
export const mendEvents = async (cluster: Cluster): Promise<boolean> => {
  let before = Number.POSITIVE_INFINITY
  let isRemoved = false
  await until(
    'events in NATS',
    async () => {
      const { isStopped, position, lag } = await relayOf(cluster)
      const isMoving = position > before || lag === 0
      before = position
      if (!isStopped) return isMoving
      isRemoved = true
      await remove(cluster)
      return false
    },
    patienceMs,
  )
  return isRemoved
}
