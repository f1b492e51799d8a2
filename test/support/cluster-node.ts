// A node of a cluster as a process of its own. It can be killed, frozen and started again. Its ways to NATS, and the way
// on which others reach it, pass through this process and can be cut and healed.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import path from 'node:path'
import './built.ts'
import { freePort } from '../../src/platform/free-port.ts'
import { pause } from './http.ts'
import type { NatsCluster } from './nats-cluster.ts'
import { openWay } from './nats-ways.ts'
import { adminToken, apiOf } from './server.ts'

const root = path.resolve(import.meta.dirname, '../..')
const program = [path.join(root, 'bin/reprise.mjs'), 'serve']
/** The most milliseconds until a started process listens. */
const patienceMs = 60_000
/** Exit codes after which another start does not help. */
const forGood: ReadonlySet<number> = new Set([0, 2, 9, 130])

export type Role = 'owner' | 'standby'
/** What a node says of itself. `isReady`: it answers 200 at /readyz. */
export type Standing = { isReady: boolean; node: string; role: Role; owner: string | null }

export type NodeWish = {
  nats: NatsCluster
  /** The folder of the cluster: each node has a data folder in it. */
  folder: string
  env: Record<string, string>
}

// In whatever way the tests end, no node is left running.
const running = new Set<ChildProcess>()
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

const urlsOf = (servers: readonly string[], user: string): string =>
  servers.map(server => `nats://${user}:only-for-tests@${server}`).join(',')

export const createNode = async (name: string, { nats, folder, env }: NodeWish) => {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const way = await openWay(port)
  const client = await nats.client()
  const dataDir = path.join(folder, name)
  let child: ChildProcess | undefined
  let said = ''

  const spawned = (args: string[], more: Record<string, string>): ChildProcess => {
    const started = spawn(process.execPath, args, {
      env: {
        PATH: process.env.PATH,
        CLUSTER: '1',
        PORT: String(port),
        ADMIN_TOKEN: adminToken,
        DATA_DIR: dataDir,
        NODE_NAME: name,
        NODE_URL: `http://127.0.0.1:${way.port}`,
        CLUSTER_KEY_FILE: path.join(folder, 'key'),
        CLUSTER_NATS_URL: urlsOf(client.settings.servers, 'cluster'),
        NATS_URL: urlsOf(client.settings.servers, 'events'),
        ...(nats.isSynced
          ? { NATS_MONITOR_URLS: nats.monitorUrls.join() }
          : { CLUSTER_ACCEPT_UNSYNCED: '1' }),
        WORKSPACE_ROOT: path.join(folder, 'workspace'),
        ...env,
        ...more,
      },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    running.add(started)
    started.once('exit', () => running.delete(started))
    started.stderr.on('data', chunk => {
      said = (said + chunk).slice(-200_000)
    })
    return started
  }
  const ended = (process: ChildProcess): Promise<unknown> =>
    process.exitCode === null && process.signalCode === null ? once(process, 'exit') : Promise.resolve()
  /** What the node says of itself; undefined: it does not answer. */
  const standing = async (): Promise<Standing | undefined> => {
    try {
      const answer = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(500) })
      const { cluster } = (await answer.json()) as { cluster?: Omit<Standing, 'isReady'> }
      return cluster && { isReady: answer.status === 200, ...cluster }
    } catch {
      return undefined
    }
  }
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    const ending = child
    child = undefined
    if (ending === undefined) return
    ending.kill(signal)
    await ended(ending)
  }
  return {
    name,
    url,
    dataDir,
    api: apiOf(url),
    standing,
    /** The end of what it has written to stderr. */
    said: () => said,
    isRunning: () => child !== undefined,
    /**
     * Starts the process, and starts it again when a cause ended it that may pass, as deploy/reprise.service does. Resolves
     * when it listens. `more`: further environment variables; `args`: another program.
     */
    async start(more: Record<string, string> = {}, args = program): Promise<void> {
      await end('SIGKILL')
      let started = spawned(args, more)
      child = started
      const until = performance.now() + patienceMs
      while ((await standing()) === undefined) {
        if (child !== started) return // it was ended meanwhile
        const isOver = started.exitCode !== null
        if (performance.now() > until || (isOver && forGood.has(Number(started.exitCode))))
          throw new Error(`${name} did not start: ${said}`)
        if (isOver) {
          await pause(500)
          if (child !== started) return
          started = spawned(args, more)
          child = started
        }
        await pause(20)
      }
    },
    /** Starts a process that ends by itself. Resolves to its exit code, and what it has written to stderr. */
    async ends(more: Record<string, string> = {}): Promise<{ code: number | null; said: string }> {
      const before = said.length
      const started = spawned(program, more)
      await ended(started)
      return { code: started.exitCode, said: said.slice(before) }
    },
    /** Kills the process, and waits for its end. */
    kill: () => end('SIGKILL'),
    /** Asks the process to end, and waits for its end. */
    term: () => end('SIGTERM'),
    freeze: () => void child?.kill('SIGSTOP'),
    thaw: () => void child?.kill('SIGCONT'),
    /** Breaks all ways to NATS. */
    cutFromNats: () => client.cut(),
    healToNats: () => client.heal(),
    /** Lets nothing through on the ways to NATS, but does not break them. */
    silenceNats: () => client.hold(),
    speakToNats: () => client.release(),
    /** Breaks the way on which the other node reaches this one. */
    cutFromNode: way.cut,
    healToNode: way.heal,
    /** Removes its data folder. The process must have ended. */
    wipe: () => rmSync(dataDir, { recursive: true, force: true }),
    async close(): Promise<void> {
      await end('SIGKILL')
      way.close()
    },
  }
}
export type Node = Awaited<ReturnType<typeof createNode>>
