// Random nodes over servers that fail at random: writes, take-overs, crashes, lost answers. In the end all copies are
// equal, everything that was acknowledged is there once, and nothing is there twice.
import path from 'node:path'
import t, { type Test } from 'tap'
import { type AppendFault, appendFaults } from '../../src/cluster/memory-log.ts'
import { LacksKeys } from '../../src/cluster/replica/errors.ts'
import type { SharedLog } from '../../src/cluster/shared-log.ts'
import type { Timers } from '../../src/contract/ports.ts'
import { type EventLog, openLog } from '../../src/log/log.ts'
import { memoryStore } from '../../src/log/memory-store.ts'
import type { Store } from '../../src/log/store.ts'
import { to } from '../log/support.ts'
import { randomOf, settle, testWorld } from '../support/world.ts'
import { begun, logId, newFolder, openNode, rowsOf, shareKeys, type TestNode, until } from './support.ts'

/** Timers that wait for turns of the event loop instead of time. */
const quick: Timers = {
  after(_ms, job) {
    let isCanceled = false
    void settle(3).then(() => isCanceled || job())
    return () => {
      isCanceled = true
    }
  },
  every: () => () => {},
}

/** Whether a process lives. What a dead one still does reaches neither the servers nor its files. */
type Life = { isOver: boolean }
const never = new Promise<never>(() => {})
const wired =
  (life: Life) =>
  (shared: SharedLog): SharedLog => ({
    ...shared,
    append: (expected, bytes) => (life.isOver ? never : shared.append(expected, bytes)),
    read: (after, limit) => (life.isOver ? never : shared.read(after, limit)),
  })
const living = (life: Life, store: Store): Store => ({
  ...store,
  write: batch => (life.isOver ? never : store.write(batch)),
  async close() {},
})

const play = async (t: Test, seed: number, steps: number): Promise<string[]> => {
  const random = randomOf(seed)
  const upTo = (n: number) => Math.floor(random() * n)
  let chance = 0
  const fault = (): AppendFault | undefined => (random() < chance ? appendFaults[upTo(5)] : undefined)
  const servers = await begun({ fault, unseen: () => (random() < chance ? upTo(3) : 0) })
  const folder = newFolder(t)
  const names = ['one', 'two', 'three']
  const disks = names.map(() => memoryStore(logId))
  const lives: Life[] = []
  const nodes: TestNode[] = []
  const logs: (EventLog | undefined)[] = []
  const wrong: string[] = []
  const start = (n: number) => {
    const life: Life = { isOver: false }
    const disk = disks[n] ?? memoryStore(logId)
    lives[n] = life
    logs[n] = undefined
    nodes[n] = openNode(servers, {
      folder: path.join(folder, names[n] ?? ''),
      name: names[n] ?? '',
      local: living(life, disk),
      timers: quick,
      wire: wired(life),
    })
  }
  for (const n of disks.keys()) start(n)
  const exchange = () => {
    for (const from of nodes) for (const other of nodes) if (from !== other) shareKeys(from.keys, other.keys)
  }
  const acknowledged = new Set<number>()
  let written = 0
  let why = ''
  const write = (log: EventLog) => {
    const stream = `s${upTo(5)}`
    const id = ++written
    const filler = 'x'.repeat(random() < 0.02 ? 300_000 : upTo(50))
    return log.append([to(stream, log.revisionOf(stream), { id, filler })]).then(
      () => void acknowledged.add(id),
      () => {},
    )
  }
  const takeOver = async (n: number): Promise<void> => {
    const node = nodes[n]
    if (node === undefined) return
    try {
      await node.replica.claim()
      logs[n] = openLog(node.replica.store, { ...testWorld(seed + written), build: 'test' })
    } catch (error) {
      logs[n] = undefined
      why = String((error as Error).cause ?? error)
      if (error instanceof LacksKeys) exchange()
    }
  }
  for (let step = 0; step < steps; step++) {
    chance = random() < 0.7 ? 0 : 0.15
    const n = upTo(nodes.length)
    const what = random()
    const log = logs[n]
    if (what < 0.1 || logs.every(each => each === undefined)) await takeOver(n)
    else if (what < 0.13) {
      const life = lives[n]
      if (life !== undefined) life.isOver = true
      nodes[n]?.keys.close() // what was not written yet stays in memory only when it must not be lost
      start(n)
    } else if (what < 0.2 && log === undefined) void nodes[n]?.replica.follow()
    else if (what < 0.25) exchange()
    else if (log !== undefined) {
      const calls = Array.from({ length: 1 + upTo(6) }, () => write(log))
      if (random() < 0.6) await Promise.race([Promise.all(calls), settle(60)])
    }
  }
  servers.heal()
  chance = 0
  await settle(60)
  for (let tries = 0; ; tries++) {
    exchange()
    await takeOver(0)
    if (logs[0] !== undefined || tries > 20) break
  }
  const [last] = nodes
  if (logs[0] === undefined || last === undefined) return [`nobody can claim: ${why}`]
  await logs[0].append([to('end', logs[0].revisionOf('end'), { id: 0 })])
  exchange()
  const rows = rowsOf(last.local)
  for (const node of nodes.slice(1)) {
    void node.replica.follow()
    await until(() => node.replica.caughtUp().position === rows.length, 3000).catch(() =>
      wrong.push(
        `a node stays at ${node.replica.caughtUp().position} of ${rows.length}: ${node.reports.at(-1)}`,
      ),
    )
    if (JSON.stringify(rowsOf(node.local)) !== JSON.stringify(rows)) wrong.push('two copies differ')
  }
  const ids = rows.map(({ payload }) => (JSON.parse(payload ?? '') as { id: number }).id)
  if (new Set(ids).size < ids.length) wrong.push('an event is there twice')
  const there = new Set(ids)
  for (const id of acknowledged) if (!there.has(id)) wrong.push(`event ${id} was acknowledged and is gone`)
  for (const [n, { position }] of rows.entries()) if (position !== n + 1) wrong.push(`no event at ${n + 1}`)
  answered += acknowledged.size
  for (const node of nodes) await node.close().catch(() => {})
  return wrong
}

let answered = 0
t.setTimeout(0)
t.test('whatever fails, all copies become equal, and what was acknowledged is in them once', async t => {
  const seeds = Number(process.env.SEEDS ?? 5)
  const first = Number(process.env.SEED ?? 1)
  const wrong: string[] = []
  for (let seed = first; seed < first + seeds; seed++)
    wrong.push(...(await play(t, seed, 120)).map(what => `seed ${seed}: ${what}`))
  t.same(wrong.slice(0, 10), [], `${seeds} runs`)
  t.ok(answered > 30 * seeds, `${answered} events were acknowledged`)
})
