// Nodes take over, and lose nothing, on further lines of versions of NATS. On the usual line, failover.test.ts does much more.
import t from 'tap'
import { startCluster } from '../support/cluster.ts'
import { testedLines } from '../support/nats-programs.ts'
import { followByHttp } from './cluster-followers.ts'
import { startLoad } from './cluster-load.ts'
import { verdictOf } from './cluster-verdict.ts'
import { faults } from './faults.ts'
import { suffer } from './faults-run.ts'

t.setTimeout(180_000)
t.jobs = 2

for (const { line, on, skip } of testedLines().filter(({ line }) => line !== undefined))
  t.test(`the owner and the NATS leader are killed${on}`, { skip }, async t => {
    const cluster = await startCluster(t, { env: { LOG_LEVEL: 'warn' }, servers: { line } })
    const { nodes } = cluster
    await cluster.whole()
    const load = startLoad({ nodes, callers: 4, everyMs: 30, name: 'lines' })
    const followers = nodes.map((_, n) => followByHttp(`follower ${n}`, nodes, n))
    t.teardown(() => Promise.all([load.stop(), ...followers.map(follower => follower.stop())]))
    await load.next()
    const { outage } = await suffer({ cluster, load }, faults.ownerAndLeader, 100)
    t.comment(`${Math.round(outage)} ms without an answer`)
    await load.stop()
    t.same((await verdictOf(cluster, load, followers)).problems, [])
  })
