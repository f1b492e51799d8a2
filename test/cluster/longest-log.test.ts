// The stream of the log is made again, or the servers have lost its end, while all nodes are down. The node with the most
// events claims the log first: a node with fewer would store other events in their places.
import path from 'node:path'
import t, { type Test } from 'tap'
import { beginLog } from '../../src/cluster/beginning.ts'
import { IsShorter, IsUnanswered } from '../../src/cluster/replica/errors.ts'
import type { Timers } from '../../src/contract/ports.ts'
import { openLog } from '../../src/log/log.ts'
import { realWorld } from '../../src/platform/world.ts'
import { rejection, to } from '../log/support.ts'
import { testWorld } from '../support/world.ts'
import {
  begun,
  clusterKey,
  logId,
  newFolder,
  nodeIn,
  rowsOf,
  shareKeys,
  type TestNode,
  until,
} from './support.ts'

const logOf = (node: TestNode) => openLog(node.replica.store, { ...testWorld(), build: 'test' })
const append = (node: TestNode, revision: number, n: number) => logOf(node).append([to('a', revision, { n })])
const names = ['one', 'two'] as const
type Name = (typeof names)[number]

/**
 * Nodes whose owner, `one`, ended between the answer of the servers to its newest event and its own write, so that `two`
 * has an event more. `start` starts them anew on their folders; each asks the other one.
 */
const down = async (t: Test) => {
  const servers = await begun()
  const folder = newFolder(t)
  const running = new Map<Name, TestNode>()
  const start = (name: Name, timers?: Timers): TestNode => {
    const others = () =>
      names
        .filter(other => other !== name)
        .map(other => {
          const events = running.get(other)?.replica.events()
          return { node: other, ...(events === undefined ? {} : { events }) }
        })
    const node = nodeIn(t, servers, {
      folder: path.join(folder, name),
      name,
      others,
      ...(timers && { timers }),
    })
    running.set(name, node)
    return node
  }
  const [one, two] = [start('one'), start('two')]
  await one.replica.claim()
  await append(one, -1, 0)
  shareKeys(one.keys, two.keys)
  await two.replica.follow()
  await until(() => two.replica.events() === 1)
  const shortEnd = servers.records().length
  servers.plan('doubted')
  await t.rejects(append(one, 0, 1))
  await until(() => two.replica.events() === 2)
  t.equal(one.replica.events(), 1)
  await Promise.all([one.close(), two.close()])
  running.clear()
  return { servers, shortEnd, start }
}
/** `two` claims the log and writes on; `one` gets everything. */
const goOn = async (t: Test, one: TestNode, two: TestNode): Promise<void> => {
  await two.replica.claim().catch(() => two.replica.claim()) // it may find first that the servers have lost records
  shareKeys(two.keys, one.keys)
  await one.replica.follow()
  await append(two, 1, 2)
  shareKeys(two.keys, one.keys)
  await until(() => one.replica.caughtUp().position === 3)
  t.same(rowsOf(one.local), rowsOf(two.local))
  await until(() => one.conditions.all().length === 0)
}

t.test(
  'a stream that was made again from the shorter log is claimed by the node with the longer one',
  async t => {
    const { servers, start } = await down(t)
    servers.loseBehind(0)
    await beginLog(servers.open(), clusterKey, { id: logId, position: 1 })
    const one = start('one')
    const unanswered = await rejection(one.replica.claim())
    t.ok(unanswered instanceof IsUnanswered, String(unanswered))
    t.match(unanswered, { message: /two may have more events than this node: .* waits up to 12 s/ })
    const two = start('two')
    const shorter = await rejection(one.replica.claim())
    t.ok(shorter instanceof IsShorter, String(shorter))
    t.match(shorter, { message: /this node has 1 events, and the node two has 2, more than the shared log/ })
    t.equal(servers.records().length, 1, 'it has written nothing')
    await goOn(t, one, two)
  },
)

t.test('when the servers have lost the end of the log, the node that has it claims the log', async t => {
  const { servers, shortEnd, start } = await down(t)
  servers.loseBehind(shortEnd)
  const [one, two] = [start('one'), start('two')]
  t.ok((await rejection(one.replica.claim())) instanceof IsShorter)
  t.equal(servers.records().length, shortEnd, 'it has written nothing')
  await goOn(t, one, two)
})

t.test('when the node with more events falls silent, the other one waits for it', async t => {
  const { servers, shortEnd, start } = await down(t)
  servers.loseBehind(shortEnd)
  const two = start('two')
  let isSilent = false
  const one = nodeIn(t, servers, {
    folder: path.join(two.folder, '..', 'one'),
    name: 'one',
    others: () => [isSilent ? { node: 'two' } : { node: 'two', events: two.replica.events() }],
  })
  t.ok((await rejection(one.replica.claim())) instanceof IsShorter)
  isSilent = true
  t.ok((await rejection(one.replica.claim())) instanceof IsUnanswered)
})

t.test('a node does not wait for ever for one that does not answer', async t => {
  const { servers, start } = await down(t)
  servers.loseBehind(0)
  await beginLog(servers.open(), clusterKey, { id: logId, position: 1 })
  const { timers } = realWorld()
  const waits: number[] = []
  let pass = () => {}
  const one = start('one', {
    ...timers,
    after(ms, run) {
      if (ms !== 12_000) return timers.after(ms, run)
      waits.push(ms)
      pass = run
      return () => {}
    },
  })
  t.ok((await rejection(one.replica.claim())) instanceof IsUnanswered)
  t.ok((await rejection(one.replica.claim())) instanceof IsUnanswered)
  t.equal(waits.length, 1, 'the second try goes on with the wait of the first one')
  pass()
  await one.replica.claim()
  await append(one, 0, 1)
})

t.test('a node that may take over at once does so, although the former owner does not answer', async t => {
  const { start } = await down(t)
  await start('one').replica.claim() // the servers have everything
})
