// A node ends while it stores pieces of long payloads, secrets, or its place in the shared log, and is opened again on the
// files that it has left.
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import t, { type Test } from 'tap'
import { sqliteStore } from '../../src/log/file/sqlite-store.ts'
import { type EventLog, openLog } from '../../src/log/log.ts'
import type { Store } from '../../src/log/store.ts'
import type { Secrets } from '../../src/platform/secrets.ts'
import { none } from '../../src/platform/sqlite/checkpoints.ts'
import { to } from '../log/support.ts'
import { testWorld } from '../support/world.ts'
import {
  begun,
  logId,
  type NodeOptions,
  newFolder,
  openNode,
  rowsOf,
  shareKeys,
  type TestNode,
  until,
} from './support.ts'

const long = 'a long payload '.repeat(60_000) // four pieces
const never = new Promise<never>(() => {})
let opened = 0
const logOf = (node: TestNode): EventLog =>
  openLog(node.replica.store, { ...testWorld(++opened), build: 'test' })

/** Something that ends a process before or after its nth call. From then on nothing of the process begins or returns. */
const lifeUntil = (when: 'before' | 'after', nth: number) => {
  let left = nth
  let isOver = false
  let ended = () => {}
  const end = new Promise<void>(resolve => {
    ended = resolve
  })
  const passes = (now: 'before' | 'after'): boolean => {
    if (!isOver && now === when && --left === 0) {
      isOver = true
      ended()
    }
    return !isOver
  }
  return {
    end,
    async guarded<T>(call: () => Promise<T>): Promise<T> {
      if (!passes('before')) return never
      const answer = await call()
      return passes('after') ? answer : never
    },
    /** For calls that return at once: the process ends with an error in their place. */
    now<T>(call: () => T): T {
      if (!passes('before')) throw new Error('the process has ended')
      const answer = call()
      if (!passes('after')) throw new Error('the process has ended')
      return answer
    },
  }
}
/** Nodes by name. The process of an abandoned one goes on in this one, so the next one of its name works on a copy. */
const nodes = async (t: Test) => {
  const servers = await begun()
  const folder = newFolder(t)
  const lives = new Map<string, number>()
  const fileOf = (name: string) => path.join(folder, `${name}-${lives.get(name) ?? 0}`)
  const start = (name: string, guarded = (store: Store): Store => store, guard?: NodeOptions['guard']) => {
    const own = fileOf(name)
    mkdirSync(own, { recursive: true })
    const local = guarded(sqliteStore(path.join(own, 'log.db'), () => logId, [], none))
    return openNode(servers, { folder: own, name, local, ...(guard && { guard }) })
  }
  const abandon = async (name: string, node: TestNode): Promise<void> => {
    node.keys.close()
    node.localSecrets.close()
    await node.local.close().catch(() => {})
    const ended = fileOf(name)
    lives.set(name, (lives.get(name) ?? 0) + 1)
    cpSync(ended, fileOf(name), { recursive: true })
  }
  return { start, fileOf, abandon }
}
/** Opens the standby again, and compares it with the owner. */
const mustFollow = async (t: Test, owner: TestNode, standby: TestNode, about: string): Promise<void> => {
  shareKeys(owner.keys, standby.keys)
  await standby.replica.follow()
  await until(() => standby.local.last()?.position === owner.local.last()?.position)
  t.same(rowsOf(standby.local), rowsOf(owner.local), `${about}: both copies are equal`)
}
const steps = (['before', 'after'] as const).flatMap(when => [1, 3].map(nth => [when, nth] as const))

const alive = setInterval(() => {}, 1000)
t.teardown(() => clearInterval(alive))

t.setTimeout(60_000)

t.test('a node ends at a piece of a long payload', async t => {
  for (const [when, nth] of steps)
    for (const role of ['owner', 'standby']) {
      const about = `${role} ends ${when} piece ${nth}`
      const { start, abandon } = await nodes(t)
      const life = lifeUntil(when, nth)
      const guard = (store: Store): Store => ({
        ...store,
        writePiece: piece => life.guarded(() => store.writePiece(piece)),
      })
      const one = start('one', role === 'owner' ? guard : undefined)
      const two = start('two', role === 'standby' ? guard : undefined)
      await one.replica.claim()
      shareKeys(one.keys, two.keys)
      await two.replica.follow()
      const log = logOf(one)
      await log.append([to('task-a', -1, { n: 1 })])
      const written = log.append([to('task-a', 0, { long })])
      written.catch(() => {})
      await life.end
      await (role === 'owner' ? abandon('one', one) : abandon('two', two))
      if (role === 'owner') await two.close()
      else await written
      const owner = role === 'owner' ? start('one') : one
      if (role === 'owner') {
        await owner.replica.claim()
        const again = logOf(owner)
        await again.append([to('task-a', again.revisionOf('task-a'), { long })])
      }
      const standby = start('two')
      await mustFollow(t, owner, standby, about)
      await standby.close()
      t.ok(rowsOf(owner.local).at(-1)?.payload?.includes(long), `${about}: the payload is whole`)
      await owner.close()
    }
})

t.test('a standby ends at a secret that goes ahead of the event that names it', async t => {
  for (const when of ['before', 'after'] as const) {
    const { start, abandon } = await nodes(t)
    const life = lifeUntil(when, 1)
    const guarded = (secrets: Secrets): Secrets => ({
      ...secrets,
      put: (ref, values) => life.now(() => secrets.put(ref, values)),
    })
    const [one, two] = [start('one'), start('two', undefined, guarded)]
    await one.replica.claim()
    shareKeys(one.keys, two.keys)
    await two.replica.follow()
    one.replica.secrets.put('ref-1', { token: 'hush' })
    await logOf(one).append([to('task-a', -1, { secret_ref: 'ref-1' })])
    await life.end
    await abandon('two', two)
    const again = start('two')
    await mustFollow(t, one, again, when)
    t.same(again.localSecrets.get('ref-1'), { token: 'hush' }, `the secret is there, ${when}`)
    await again.close()
    await one.close()
  }
})

t.test('an owner ends when a secret is in its file and not in the shared log yet', async t => {
  const { start, abandon } = await nodes(t)
  const one = start('one')
  await one.replica.claim()
  one.replica.secrets.put('ref-1', { token: 'hush' })
  await abandon('one', one)
  const [again, two] = [start('one'), start('two')]
  await again.replica.claim()
  shareKeys(again.keys, two.keys)
  await two.replica.follow()
  await until(() => two.localSecrets.get('ref-1') !== undefined)
  t.same(two.localSecrets.get('ref-1'), { token: 'hush' })
  await two.close()
  await again.close()
})

type Left = { file: string; next?: string }
/** What a crash can leave of the file, which had one text and then another one. */
const left: Record<string, (earlier: string, later: string) => Left> = {
  'before it is saved': earlier => ({ file: earlier }),
  'while the new file is written': (earlier, later) => ({ file: earlier, next: later.slice(0, 20) }),
  'before the new file has its name': (earlier, later) => ({ file: earlier, next: later }),
  'so that the file is cut short': (_, later) => ({ file: later.slice(0, 20) }),
}

t.test('a node ends while it saves its place in the shared log', async t => {
  const { start, fileOf } = await nodes(t)
  const file = path.join(fileOf('two'), 'cluster.json')
  const one = start('one')
  await one.replica.claim()
  const log = logOf(one)
  /** The standby reads on to the end, and stops. Returns what it has saved. */
  const readOn = async (): Promise<string> => {
    await log.append([to('task-a', log.revisionOf('task-a'), { n: 1 })])
    const two = start('two')
    await mustFollow(t, one, two, 'before')
    await two.close()
    return readFileSync(file, 'utf8')
  }
  for (const [about, made] of Object.entries(left)) {
    const [earlier, later] = [await readOn(), await readOn()]
    const { file: text, next } = made(earlier, later)
    writeFileSync(file, text)
    if (next !== undefined) writeFileSync(`${file}.new`, next)
    await log.append([to('task-a', log.revisionOf('task-a'), { n: 1 })])
    const again = start('two')
    await mustFollow(t, one, again, about)
    await again.close()
  }
  await one.close()
})
