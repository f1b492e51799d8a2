// reprise demo failover: shows a cluster whose owner is killed while clients work. The NATS servers, the nodes and the
// clients are real.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { NoAnswer } from '../terminal/exit.ts'
import type { Printer } from '../terminal/printer.ts'
import { type Common, openTerminal } from '../terminal/terminal.ts'
import { startClients } from './clients.ts'
import { awaited, type DemoCluster, startDemoCluster } from './demo-cluster.ts'
import { followEvents } from './event-follower.ts'
import { failoverVerdictOf, type SeenFailover } from './failover-verdict.ts'

/** The number of tasks that are acknowledged in each phase: before the kill, after the takeover, after the restart. */
const between = 50
const pageSize = 100
const nameWidth = 10

type Happens = (name: string, text: string) => void
type Task = { id: string; status: string }

const happensOn =
  (printer: Printer): Happens =>
  (name, text) => {
    printer.text(name.padEnd(nameWidth), name === 'kill -9' ? 'red' : 'plain')
    printer.text(`${text}\n`)
  }

const secondsSince = (began: number): string => `${((performance.now() - began) / 1000).toFixed(1)} s`

/** All tasks that the node at this URL lists. */
const listTasks = async (url: string, token: string): Promise<Task[]> => {
  const all: Task[] = []
  for (;;) {
    const after = all.length === 0 ? '' : `&starting_after=${all.at(-1)?.id}`
    const answer = await fetch(`${url}/v1/tasks?fields=summary&limit=${pageSize}${after}`, {
      headers: { authorization: `Bearer ${token}` },
    })
    const { result } = (await answer.json()) as { result: Task[] }
    all.push(...result)
    if (result.length < pageSize) return all
  }
}

/** Reads the events again from the first one, until at least `count`, the number that the follower has. */
const readAgain = async (url: string, token: string, count: number) => {
  const reader = followEvents({ urls: [url], token })
  await awaited('the events', async () => (reader.heard.length >= count ? true : undefined))
  await reader.stop()
  return reader.heard
}

const play = async (cluster: DemoCluster, happens: Happens): Promise<SeenFailover> => {
  const { urls, token } = cluster
  const owner = await cluster.nodeThatIs('owner')
  const other = await cluster.nodeThatIs('standby')
  happens('owner', `node ${owner.name} owns the event log; node ${other.name} follows it`)
  const clients = startClients({ urls, token })
  const follower = followEvents({ urls, token })
  happens('clients', '8 clients create tasks at both nodes, and a follower receives the public events')
  await clients.more(between)
  happens(
    'kill -9',
    `node ${owner.name}, process ${owner.now().pid}, after ${clients.acknowledged.size} tasks`,
  )
  const killed = performance.now()
  owner.now().kill()
  await awaited('a new owner', async () =>
    (await cluster.nodeThatIs('owner')) === other ? other : undefined,
  )
  happens('takeover', `node ${other.name} owns the event log after ${secondsSince(killed)}`)
  await clients.more(between)
  const started = performance.now()
  await owner.start()
  await cluster.nodeThatIs('standby')
  happens('back', `node ${owner.name} is a standby again, ${secondsSince(started)} after its start`)
  await clients.more(between)
  await clients.stop()

  const url = other.now().url
  const listed = await listTasks(url, token)
  const isEnd = ({ event }: { event: { type: string; new_status?: string } }) =>
    event.type === 'TaskStatusChanged' && event.new_status === 'completed'
  const ends = (heard: typeof follower.heard) => heard.filter(one => isEnd(one as never)).length
  await awaited('the last event', async () => (ends(follower.heard) >= listed.length ? true : undefined))
  await follower.stop()
  const all = await readAgain(url, token, follower.heard.length)
  return {
    acknowledged: [...clients.acknowledged.values()],
    listed,
    heard: follower.heard,
    connections: follower.connections(),
    all,
    outageMs: clients.outageMs(),
  }
}

export const demoFailover = async (options: Common): Promise<void> => {
  const began = performance.now()
  const folder = mkdtempSync(path.join(tmpdir(), 'reprise-demo-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  const printer = openTerminal(options)
  const happens: Happens = options.json ? () => {} : happensOn(printer)
  const cluster = await startDemoCluster(folder)
  happens('log', `three NATS servers hold it: ${cluster.natsUrl}`)
  const seen = await play(cluster, happens)
  await cluster.stop()
  const findings = failoverVerdictOf(seen)
  const kept = findings.every(finding => finding.kept)
  const facts = {
    tasks: seen.acknowledged.length,
    events: seen.all.length,
    outage_ms: Math.round(seen.outageMs),
    seconds: Number(((performance.now() - began) / 1000).toFixed(1)),
  }
  await printer.rows(
    options.json
      ? [JSON.stringify({ kept, ...facts, promises: findings })]
      : findings.map(({ promise, kept, found }) =>
          printer.paint(
            `${kept ? 'kept  ' : 'BROKEN'} ${promise.padEnd(19)} ${found}`,
            kept ? 'plain' : 'red',
          ),
        ),
  )
  if (!kept) throw new NoAnswer('the cluster broke a promise: see the lines above')
}
