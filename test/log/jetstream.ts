// Servers for replicated logs in tests: in memory, or, with SHARED_LOG=jetstream, a real nats-server with a stream for
// each log.
import { jetstreamManager } from '@nats-io/jetstream'
import type { Test } from 'tap'
import { beginLog } from '../../src/cluster/beginning.ts'
import type { MemoryServers } from '../../src/cluster/memory-log.ts'
import { openSharedLog } from '../../src/cluster/nats/shared-log.ts'
import { clusterNatsOf } from '../../src/cluster/settings.ts'
import { realWorld } from '../../src/platform/world.ts'
import { begun, clusterKey, logId } from '../cluster/support.ts'
import { natsServer } from '../support/nats.ts'

type Servers = Pick<MemoryServers, 'open'>

const onJetStream = async (t: Test): Promise<Servers> => {
  const server = await natsServer(t)
  const [name, subject] = ['LOG', 'log']
  const manager = await jetstreamManager(await server.client(t, { reconnect: false }))
  await manager.streams.add({ name, subjects: [subject] })
  const shared = await openSharedLog({
    ...{ name, subject, timers: realWorld().timers, report: () => {} },
    settings: clusterNatsOf({ NATS_URL: server.url }),
  })
  t.teardown(() => shared.close())
  await beginLog(shared, clusterKey, { id: logId, position: 0 })
  return { open: () => shared }
}

/** The servers of a new log that has begun. */
export const serversOf = (t: Test): Promise<Servers> =>
  process.env.SHARED_LOG === 'jetstream' ? onJetStream(t) : begun()
