// The cluster of the demo: three nats-servers and two nodes, all processes of this machine.
import { randomBytes } from 'node:crypto'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { initCluster } from '../../cluster/init.ts'
import { clusterNatsOf } from '../../cluster/settings.ts'
import { CannotStart } from '../../contract/cannot-start.ts'
import { freePort } from '../../platform/free-port.ts'
import { realWorld } from '../../platform/world.ts'
import { startNatsServers } from './nats-servers.ts'
import { type ServerProcess, startServerProcess } from './own-server.ts'

/** Each step of the demo must happen within `patienceMs` milliseconds. The demo looks every `lookMs` milliseconds. */
const [patienceMs, lookMs] = [30_000, 20]

/** Resolves with the first result of `look` that is not undefined. Rejects with CannotStart. */
export const awaited = async <T>(what: string, look: () => Promise<T | undefined>): Promise<T> => {
  for (const end = performance.now() + patienceMs; performance.now() < end; await sleep(lookMs)) {
    const found = await look().catch(() => undefined)
    if (found !== undefined) return found
  }
  throw new CannotStart(`${what}: not within ${patienceMs / 1000} s`)
}

export const startDemoCluster = async (folder: string) => {
  const nats = await startNatsServers(folder)
  const keyFile = path.join(folder, 'key')
  const { timers, ids } = realWorld()
  const settings = clusterNatsOf({ NATS_URL: nats.url })
  const newId = () => ids.next('log_')
  await awaited('the streams in NATS', () =>
    initCluster({
      ...{ settings, keyFile, newId, timers, report: () => {} },
      ...{ monitorUrls: [], there: undefined, isNew: true, isAgain: false },
    }),
  )
  const token = randomBytes(24).toString('hex')
  const nodeCalled = async (name: string) => {
    const env = {
      PATH: process.env.PATH ?? '',
      ...{ CLUSTER: '1', NODE_NAME: name, CLUSTER_KEY_FILE: keyFile, NATS_URL: nats.url },
      CLUSTER_ACCEPT_UNSYNCED: '1', // whatever nats-server is on PATH: nothing of the demo stays
      ...{ DATA_DIR: path.join(folder, name), PORT: String(await freePort()), ADMIN_TOKEN: token },
    }
    let running: ServerProcess
    const start = async (): Promise<void> => {
      running = await startServerProcess(env)
    }
    await start()
    return { name, start, now: () => running }
  }
  const nodes = await Promise.all(['a', 'b'].map(nodeCalled))
  type Node = (typeof nodes)[number]
  /** The role that a node reports; undefined when the node is not ready. */
  const roleOf = async (node: Node): Promise<'owner' | 'standby' | undefined> => {
    const answer = await fetch(`${node.now().url}/readyz`)
    const { cluster } = (await answer.json()) as { cluster: { role: 'owner' | 'standby' } }
    return answer.ok ? cluster.role : undefined
  }
  return {
    natsUrl: nats.url,
    nodes,
    urls: nodes.map(node => node.now().url),
    token,
    /** Resolves to a node as soon as the node has this role and is ready. */
    nodeThatIs: (role: 'owner' | 'standby'): Promise<Node> =>
      awaited(`a node that is ${role}`, async () => {
        for (const node of nodes) if ((await roleOf(node).catch(() => {})) === role) return node
        return undefined
      }),
    async stop(): Promise<void> {
      await Promise.all(nodes.map(node => node.now().stop()))
      await nats.stop()
    },
  }
}
export type DemoCluster = Awaited<ReturnType<typeof startDemoCluster>>
