// Ten faults of a real cluster under load: nothing that was acknowledged is lost, nothing happens twice, and followers
// miss nothing.
import t from 'tap'
import { noNats, startCluster } from '../support/cluster.ts'
import { followByHttp } from './cluster-followers.ts'
import { startLoad } from './cluster-load.ts'
import { verdictOf } from './cluster-verdict.ts'
import { type Fault, faults } from './faults.ts'
import { suffer } from './faults-run.ts'

t.setTimeout(180_000)

/** Milliseconds for which each fault lasts after it has had its effect. */
const hurtMs = 100
/** An outage may last so many times longer than on a machine that has nothing else to do. */
const patience = 8

const ten = [
  faults.ownerKilled,
  faults.ownerFrozen,
  faults.ownerCut,
  faults.standbyKilled,
  faults.followerKilled,
  faults.leaderKilled,
  faults.handOver,
  faults.bothKilled,
  faults.standbyEmptied,
  faults.ownerAndLeader,
]

/** Faults after which the other node owns the log. */
const ownerGoes: Fault[] = [faults.ownerKilled, faults.ownerFrozen, faults.ownerCut, faults.handOver]

t.test('a cluster goes on after each of ten faults', { skip: noNats }, async t => {
  const cluster = await startCluster(t, { env: { LOG_LEVEL: 'warn' } })
  const { nodes } = cluster
  await cluster.whole()
  const load = startLoad({ nodes, callers: 6, everyMs: 30, name: 'ci' })
  const followers = nodes.map((_, n) => followByHttp(`follower ${n}`, nodes, n))
  t.teardown(() => Promise.all([load.stop(), ...followers.map(follower => follower.stop())]))
  await load.next()

  for (const fault of ten) {
    const { outage, whole, failed, isEngineSlow } = await suffer({ cluster, load }, fault, hurtMs)
    t.ok(outage < fault.limitMs * patience, `${fault.name}: ${Math.round(outage)} ms without an answer`)
    t.comment(`the cluster is whole after ${Math.round(whole)} ms`)
    // Each request of the load has a key. A client that has waited for too long gives up by itself, as on a busy machine.
    const ended = failed.filter(answer => !answer.endsWith('aborted due to timeout'))
    // A server of the shared log that is too slow for a write is a 503, which says that the request can be sent again.
    const isSlowWrite = (answer: string) => / 503 .*cannot be written/.test(answer)
    const refused = ended.filter(answer => / \d{3} /.test(answer) && !isSlowWrite(answer))
    t.comment(`failed at the node that stays: ${JSON.stringify(failed)}`)
    if (ownerGoes.includes(fault))
      t.same(refused, [], `${fault.name}: nothing is refused at the node that stays`)
    if (fault !== faults.handOver) continue
    const unexplained = ended.filter(answer => !(isEngineSlow && isSlowWrite(answer)))
    t.same(unexplained, [], 'no request fails at the node that stays')
  }
  await load.stop()
  const { problems, ...found } = await verdictOf(cluster, load, followers)
  t.same(problems, [])
  t.comment(JSON.stringify(found))
})
