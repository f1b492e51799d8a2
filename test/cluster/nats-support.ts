// New logs on a cluster of three nats-servers.
import { jetstreamManager } from '@nats-io/jetstream'
import type { Test } from 'tap'
import { openSharedLog, type SharedLogDeps } from '../../src/cluster/nats/shared-log.ts'
import type { SharedLog } from '../../src/cluster/shared-log.ts'
import { realWorld } from '../../src/platform/world.ts'
import { type NatsCluster, until } from '../support/nats-cluster.ts'

const { timers } = realWorld()
let made = 0

/** Makes a stream with three copies. Returns a function that opens a client of it, which is closed with the test. */
export const newLog = async (cluster: NatsCluster) => {
  const number = ++made
  const [name, subject] = [`LOG_${number}`, `log.${number}`]
  const streams = async () => {
    const connection = await cluster.connected()
    const { streams } = await jetstreamManager(connection, { timeout: 2000, checkAPI: false })
    return { streams, close: () => connection.close() }
  }
  const make = () =>
    until(`the stream ${name}`, async () => {
      const { streams: all, close } = await streams()
      await all.add({ name, subjects: [subject], num_replicas: 3 }).finally(close)
      return true
    })
  await make()
  return {
    name,
    async open(t: Test, more: Partial<SharedLogDeps> = {}): Promise<SharedLog> {
      const settings = more.settings ?? (await cluster.client()).settings
      const log = await openSharedLog({ name, subject, timers, report: () => {}, ...more, settings })
      t.teardown(() => log.close())
      return log
    },
  }
}
export type NewLog = Awaited<ReturnType<typeof newLog>>
