// The shared log on JetStream, with three servers of each line of versions.
import t, { type Test } from 'tap'
import { natsCluster } from '../support/nats-cluster.ts'
import { testedLines } from '../support/nats-programs.ts'
import { newLog } from './nats-support.ts'
import { sentences, sharedLogSuite } from './shared-log-suite.ts'

const suites: (() => void)[] = []
for (const { line, on, skip } of testedLines()) {
  if (skip) {
    suites.push(() => void t.test(`JetStream${on}`, { skip }, async () => {}))
    continue
  }
  const cluster = await natsCluster(t, { line })
  // All logs are made at once, since each takes a while.
  const logs = await Promise.all(Array.from({ length: sentences }, () => newLog(cluster)))
  const open = async (t: Test) => {
    const log = logs.pop() ?? (await newLog(cluster))
    return () => log.open(t)
  }
  suites.push(() => sharedLogSuite(`JetStream${on}`, open))
}
// No test begins before all servers run: the file would end with the first tests that end, and its servers with it.
for (const begin of suites) begin()
