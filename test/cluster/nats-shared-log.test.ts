// The shared log on JetStream, with three servers.
import t from 'tap'
import { natsCluster, noNats } from '../support/nats-cluster.ts'
import { newLog } from './nats-support.ts'
import { sharedLogSuite } from './shared-log-suite.ts'

if (noNats) t.plan(0, noNats)
else {
  const cluster = await natsCluster(t)
  sharedLogSuite('JetStream', async t => {
    const log = await newLog(cluster)
    return () => log.open(t)
  })
}
