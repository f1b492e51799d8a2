// Strikes a cluster under load with one fault after the other, and measures the outage of each.
import type { Cluster } from '../support/cluster.ts'
import { pause } from '../support/http.ts'
import type { Load } from './cluster-load.ts'
import type { Fault } from './faults.ts'
import { doAsAdvised } from './lost-snapshots.ts'
import { redundant } from './whole-copies.ts'

/**
 * `outage`: the longest time without an acknowledged create; `whole`: until both nodes were there again. Milliseconds.
 * `failed`: what failed at the node that was not struck. `isEngineSlow`: a node has reported that the servers of the
 * shared log did not answer in time. `emptied`: how many NATS servers did not get whole copies by themselves. `advised`: what
 * an operator had to do, since the nodes advised it.
 */
export type Suffered = {
  fault: Fault
  outage: number
  whole: number
  failed: string[]
  isEngineSlow: boolean
  emptied: number
  advised: string[]
}

type Deps = { cluster: Cluster; load: Load }

/** Milliseconds that a cluster has to be whole again after a fault was healed. */
const patienceMs = 60_000

/** How often the nodes have reported that the servers of the shared log did not answer in time. */
const unanswered = ({ nodes }: Cluster): number =>
  nodes.map(node => node.said().split('has not answered').length).reduce((sum, count) => sum + count, 0)

/** `hurtMs`: milliseconds for which the fault lasts after it has had its effect. */
export const suffer = async ({ cluster, load }: Deps, fault: Fault, hurtMs: number): Promise<Suffered> => {
  const began = performance.now()
  const before = unanswered(cluster)
  const owner = await cluster.owner()
  const { felt, heal, struck } = await fault.strike(cluster)
  const advised: string[] = []
  /** After any fault, streams may have no leader, or lack records. Then an operator does what the nodes advise. */
  const orAsAdvised = async (step: () => unknown): Promise<void> => {
    try {
      await step()
    } catch (error) {
      const done = await doAsAdvised(cluster, owner)
      if (done === undefined) throw error
      advised.push(done)
    }
  }
  await orAsAdvised(felt)
  await pause(hurtMs)
  await orAsAdvised(heal)
  await orAsAdvised(() => cluster.whole(patienceMs))
  await cluster.whole(patienceMs)
  await load.next()
  const seen = { outage: load.outageSince(began), whole: performance.now() - began }
  // The next fault comes when a server can be lost again.
  const emptied = await redundant(cluster)
  if (emptied > 0) await cluster.whole(patienceMs)
  return {
    fault,
    ...seen,
    emptied,
    advised,
    failed: load.failures.flatMap(({ node, at, why }) =>
      at < began || node === struck?.name ? [] : [`${node}: ${why}`],
    ),
    isEngineSlow: unanswered(cluster) > before,
  }
}
