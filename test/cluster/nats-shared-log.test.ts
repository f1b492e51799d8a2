// The shared log on JetStream, with three servers.
import t from 'tap'
import { natsCluster, noNats } from '../support/nats-cluster.ts'
import { newLog } from './nats-support.ts'
import { sentences, sharedLogSuite } from './shared-log-suite.ts'

if (noNats) t.plan(0, noNats)
else {
  const cluster = await natsCluster(t)
  // All logs are made at once, since each takes a while.
  const logs = await Promise.all(Array.from({ length: sentences }, () => newLog(cluster)))
  sharedLogSuite('JetStream', async t => {
    const log = logs.pop() ?? (await newLog(cluster))
    return () => log.open(t)
  })
}
