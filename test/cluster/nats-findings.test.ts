// Findings about JetStream that are public, each struck once: nothing that was acknowledged is lost or happens twice, and both
// nodes are ready again, without a restart by hand. test/soak/cluster.ts strikes all of them in a random order. Here, FINDINGS=all
// strikes each of them, and FINDINGS=powerCut,peerRemoved these two; else only those run that tell most in a short time.
import t from 'tap'
import { statesOfCopies } from '../../src/cluster/nats/monitors.ts'
import { shardStream } from '../../src/cluster/nats/streams.ts'
import { noNats, startCluster, until } from '../support/cluster.ts'
import { followByHttp } from './cluster-followers.ts'
import { startLoad } from './cluster-load.ts'
import { verdictOf } from './cluster-verdict.ts'
import type { Fault } from './faults.ts'
import { suffer } from './faults-run.ts'
import { type ServerFaultName, serverFaults } from './server-faults.ts'

t.setTimeout(process.env.FINDINGS === undefined ? 280_000 : 1_800_000)
t.jobs = 3 // they mostly wait

/** Milliseconds for which each fault lasts after it has had its effect. */
const hurtMs = 100
/** An outage may last so many times longer than on a machine that has nothing else to do. */
const patience = 4

/** What a user says in each task where the log must have several blocks, and how many bytes these have in the end. */
const [words, severalBlocks] = ['x'.repeat(200_000), 17 * 2 ** 20]
const isOfBlocks = (name: string) => /[bB]lock/.test(name)

const inShort: ServerFaultName[] = ['streamDeleted', 'streamRewound', 'streamDeletedWhileNodesDown']
const asked = process.env.FINDINGS
const all = Object.keys(serverFaults) as ServerFaultName[]
const chosen = all.filter(name => asked === 'all' || asked?.split(',').includes(name))
const names = asked === undefined ? inShort : chosen

for (const name of names) {
  const fault: Fault = serverFaults[name]
  t.test(fault.name, { skip: noNats }, async t => {
    const cluster = await startCluster(t, { env: { LOG_LEVEL: 'warn' } })
    const { nodes } = cluster
    await cluster.whole()
    const said = isOfBlocks(name) ? { words } : {}
    const load = startLoad({ nodes, callers: 3, everyMs: 50, name: 'found', ...said })
    const followers = nodes.map((_, n) => followByHttp(`follower ${n}`, nodes, n))
    t.teardown(() => Promise.all([load.stop(), ...followers.map(follower => follower.stop())]))
    await load.next()
    if (isOfBlocks(name))
      await until('several blocks', async () => {
        const copies = await statesOfCopies(cluster.nats.monitorUrls, shardStream(0).name)
        return copies.every(copy => 'bytes' in copy && copy.bytes > severalBlocks)
      })
    const { outage, whole } = await suffer({ cluster, load }, fault, hurtMs)
    t.ok(outage < fault.limitMs * patience, `${Math.round(outage)} ms without an answer`)
    t.comment(`the cluster is whole after ${Math.round(whole)} ms`)
    await load.stop()
    t.same((await verdictOf(cluster, load, followers)).problems, [])
  })
}
