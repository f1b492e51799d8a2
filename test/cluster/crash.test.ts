// A node ends at each step of its work, and is opened again on the files that it has left. What was acknowledged is there
// once, and both copies are equal.
import { mkdirSync } from 'node:fs'
import path from 'node:path'
import t, { type Test } from 'tap'
import { Fenced, type SharedLog } from '../../src/cluster/shared-log.ts'
import { sqliteStore } from '../../src/log/file/sqlite-store.ts'
import { type EventLog, openLog } from '../../src/log/log.ts'
import type { Store } from '../../src/log/store.ts'
import { none } from '../../src/platform/sqlite/checkpoints.ts'
import { to } from '../log/support.ts'
import { testWorld } from '../support/world.ts'
import { begun, logId, newFolder, openNode, rowsOf, shareKeys, type TestNode, until } from './support.ts'

/** A step at which a process ends: before or after a call of its files or of the servers has done its work. */
type Step = `${'before' | 'after'} ${'append' | 'write'}`
/** The first append of an owner is its claim, and the second one is an event; the first write is that of the event. */
const steps: readonly (readonly [Step, nth: number])[] = [
  ['before append', 1],
  ['after append', 1],
  ['before append', 2],
  ['after append', 2],
  ['before write', 1],
  ['after write', 1],
]
const never = new Promise<never>(() => {})

/** A process that ends at the nth time of a step. From then on none of its calls begins or returns. */
const processOf = (at: Step | undefined, nth = 1) => {
  let left = nth
  let isOver = false
  let ended = () => {}
  const end = new Promise<void>(resolve => {
    ended = resolve
  })
  const passes = (step: Step): boolean => {
    if (!isOver && step === at && --left === 0) {
      isOver = true
      ended()
    }
    return !isOver
  }
  const guarded = async <T>(name: 'append' | 'write', call: () => Promise<T>): Promise<T> => {
    if (!passes(`before ${name}`)) return never
    const answer = await call()
    return passes(`after ${name}`) ? answer : never
  }
  return {
    end,
    wire: (shared: SharedLog): SharedLog => ({
      ...shared,
      append: (expected, bytes) => guarded('append', () => shared.append(expected, bytes)),
    }),
    store: (store: Store): Store => ({
      ...store,
      write: batch => guarded('write', () => store.write(batch)),
    }),
  }
}
type Process = ReturnType<typeof processOf>

/** Servers, and a function that opens a node on its files, once more when they exist, in a process that may end. */
const cluster = async (t: Test) => {
  const servers = await begun()
  const folder = newFolder(t)
  const start = (name: string, life: Process): TestNode => {
    const own = path.join(folder, name)
    mkdirSync(own, { recursive: true })
    const local = life.store(sqliteStore(path.join(own, 'log.db'), () => logId, [], none))
    return openNode(servers, { folder: own, name, local, wire: life.wire })
  }
  return { servers, start }
}
let opened = 0
const logOf = (node: TestNode): EventLog =>
  openLog(node.replica.store, { ...testWorld(++opened), build: 'test' })

/** Appends events one after the other; `acknowledged` gets the ids of those that were answered. */
const write = async (log: EventLog, from: number, last: number, acknowledged: number[]): Promise<void> => {
  for (let id = from; id <= last; id++) {
    await log.append([to('s', log.revisionOf('s'), { id })])
    acknowledged.push(id)
  }
}
/** A folder whose node has stopped after two events, with its state saved. */
const withTwoEvents = async (t: Test) => {
  const made = await cluster(t)
  const node = made.start('one', processOf(undefined))
  await node.replica.claim()
  const acknowledged: number[] = []
  await write(logOf(node), 1, 2, acknowledged)
  await node.close()
  return { ...made, acknowledged }
}

/** What remains of a process that ended: its files are closed without waiting for its work. */
const abandon = async (node: TestNode): Promise<void> => {
  node.keys.close()
  node.localSecrets.close()
  await node.local.close().catch(() => {})
}
const idsOf = (node: TestNode): number[] =>
  rowsOf(node.local).map(({ payload }) => (JSON.parse(payload ?? '') as { id: number }).id)

/**
 * Claims the log, and once more when that was refused: after a loss of records, a node first takes a claim that it had
 * forgotten for a new one.
 */
const claimed = (node: TestNode): Promise<number> =>
  node.replica.claim().catch(error => {
    if (!(error instanceof Fenced)) throw error
    return node.replica.claim()
  })

/** Opens both nodes again, lets `one` claim the log and write on, and compares the copies. */
const mustBeWhole = async (
  t: Test,
  start: (name: string, life: Process) => TestNode,
  acknowledged: number[],
  name: string,
) => {
  const [owner, other] = [start('one', processOf(undefined)), start('two', processOf(undefined))]
  await claimed(owner)
  await write(logOf(owner), 100, 100, acknowledged)
  shareKeys(owner.keys, other.keys)
  await other.replica.follow()
  const rows = rowsOf(owner.local)
  await until(() => other.replica.caughtUp().position === rows.length)
  t.same(rowsOf(other.local), rows, `${name}: both copies are equal`)
  const ids = idsOf(owner)
  t.equal(new Set(ids).size, ids.length, `${name}: nothing is there twice`)
  t.same(
    acknowledged.filter(id => !ids.includes(id)),
    [],
    `${name}: what was acknowledged is there`,
  )
  await other.close()
  await owner.close()
}

// The timers of a node do not keep the process alive, as servers do.
const alive = setInterval(() => {}, 1000)
t.teardown(() => clearInterval(alive))

t.test('an owner ends at each step of its claim and of its writes', async t => {
  for (const [step, nth] of steps) {
    const { start, acknowledged } = await withTwoEvents(t)
    const life = processOf(step, nth)
    const node = start('one', life)
    const work = async () => {
      await node.replica.claim()
      await write(logOf(node), 3, 8, acknowledged)
      t.fail(`the process survives ${step} ${nth}`)
    }
    await Promise.race([work(), life.end])
    await abandon(node)
    await mustBeWhole(t, start, acknowledged, `${step} ${nth}`)
  }
})

t.test('a standby ends at each step of what it applies', async t => {
  for (const step of ['before write', 'after write'] as const) {
    const { start, acknowledged } = await withTwoEvents(t)
    const life = processOf(step, 2)
    const [owner, standby] = [start('one', processOf(undefined)), start('two', life)]
    await owner.replica.claim()
    shareKeys(owner.keys, standby.keys)
    await standby.replica.follow()
    await write(logOf(owner), 3, 6, acknowledged)
    await life.end
    await abandon(standby)
    await owner.close()
    await mustBeWhole(t, start, acknowledged, `${step}`)
  }
})

t.test('a node ends at each step in which it brings in what the servers have lost', async t => {
  for (const step of ['before append', 'after append'] as const)
    for (const nth of [1, 2]) {
      const { start, servers, acknowledged } = await withTwoEvents(t)
      servers.loseBehind(2)
      const life = processOf(step, nth)
      const node = start('one', life)
      await Promise.race([claimed(node).then(() => t.fail(`${step} ${nth} is survived`)), life.end])
      await abandon(node)
      await mustBeWhole(t, start, acknowledged, `refill, ${step} ${nth}`)
    }
})
