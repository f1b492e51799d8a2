// The shared log on JetStream, with three servers of each line of versions.
import t from 'tap'
import { natsCluster } from '../support/nats-cluster.ts'
import { testedLines } from '../support/nats-programs.ts'
import { newLog } from './nats-support.ts'
import { sentences, sharedLogSuite } from './shared-log-suite.ts'

for (const { line, on, skip } of testedLines()) {
  if (skip) {
    t.test(`JetStream${on}`, { skip }, async () => {})
    continue
  }
  const cluster = await natsCluster(t, { line })
  // All logs are made at once, since each takes a while.
  const logs = await Promise.all(Array.from({ length: sentences }, () => newLog(cluster)))
  sharedLogSuite(`JetStream${on}`, async t => {
    const log = logs.pop() ?? (await newLog(cluster))
    return () => log.open(t)
  })
}
