// The checker of histories, proved on histories whose verdict is known; and a history of two replicas that take the log
// from each other while servers fail.
import path from 'node:path'
import t from 'tap'
import type { AppendFault } from '../../src/cluster/memory-log.ts'
import { RevisionConflict } from '../../src/contract/stored.ts'
import { type EventLog, openLog } from '../../src/log/log.ts'
import { all, to } from '../log/support.ts'
import { randomOf, testWorld } from '../support/world.ts'
import { type Call, isLinearizable } from './linearizable.ts'
import { begun, memoryNode, newFolder, shareKeys } from './support.ts'

const append = (
  begin: number,
  end: number,
  expected: number,
  value: string,
  outcome: Call['outcome'] = 'done',
) => ({ operation: { kind: 'append', expected, value }, begin, end, outcome }) satisfies Call
const read = (begin: number, end: number, ...values: string[]) =>
  ({ operation: { kind: 'read', values }, begin, end, outcome: 'done' }) satisfies Call

t.test('right histories are linearizable', async t => {
  const right: Record<string, Call[]> = {
    'nothing happened': [],
    'one after the other': [append(1, 2, -1, 'a'), append(3, 4, 0, 'b'), read(5, 6, 'a', 'b')],
    'a read beside an append finds it': [append(1, 9, -1, 'a'), read(2, 3, 'a'), read(4, 5, 'a')],
    'a read beside an append does not find it yet': [append(1, 9, -1, 'a'), read(2, 3), read(4, 5, 'a')],
    'the call that began later was first': [
      append(1, 9, 0, 'b'),
      append(2, 8, -1, 'a'),
      read(10, 11, 'a', 'b'),
    ],
    'of two rivals one is refused': [
      append(1, 5, -1, 'a'),
      append(1, 5, -1, 'b', 'refused'),
      read(6, 7, 'a'),
    ],
    'an unknown append has happened': [append(1, 2, -1, 'a', 'unknown'), read(3, 4, 'a')],
    'an unknown append has not happened': [
      append(1, 2, -1, 'a', 'unknown'),
      append(3, 4, -1, 'b'),
      read(5, 6, 'b'),
    ],
    'an unknown append happens late': [append(1, 2, -1, 'a', 'unknown'), read(3, 4), read(5, 6, 'a')],
  }
  for (const [name, history] of Object.entries(right)) t.ok(isLinearizable(history), name)
})

t.test('wrong histories are not', async t => {
  const wrong: Record<string, Call[]> = {
    'an acknowledged append is lost': [append(1, 2, -1, 'a'), read(3, 4)],
    'an event is there twice': [append(1, 2, -1, 'a'), read(3, 4, 'a', 'a')],
    'an event comes from nowhere': [read(1, 2, 'a')],
    'two rivals both win': [append(1, 5, -1, 'a'), append(1, 5, -1, 'b')],
    'a read goes back': [append(1, 9, -1, 'a'), read(2, 3, 'a'), read(4, 5)],
    'events are in another order': [append(1, 2, -1, 'a'), append(3, 4, 0, 'b'), read(5, 6, 'b', 'a')],
    'a refusal without a reason': [append(1, 2, -1, 'a', 'refused')],
    'a refused append has happened': [
      append(1, 2, -1, 'a'),
      append(3, 4, -1, 'b', 'refused'),
      read(5, 6, 'a', 'b'),
    ],
    'an unknown append has happened before it began': [read(1, 2, 'a'), append(3, 4, -1, 'a', 'unknown')],
    'an unknown append is undone': [append(1, 2, -1, 'a', 'unknown'), read(3, 4, 'a'), read(5, 6)],
  }
  for (const [name, history] of Object.entries(wrong)) t.notOk(isLinearizable(history), name)
})

t.test('a history of two replicas is linearizable, whatever fails', async t => {
  let failures = 0
  for (let seed = 1; seed <= 4; seed++) {
    const random = randomOf(seed)
    const faults: AppendFault[] = ['refused', 'lost', 'doubted', 'stray', 'slow']
    let chance = 0.1
    const servers = await begun({
      fault: () => (random() < chance ? faults[Math.floor(random() * faults.length)] : undefined),
    })
    const folder = newFolder(t)
    const nodes = ['one', 'two'].map(name =>
      memoryNode(t, servers, { folder: path.join(folder, name), name, mayClaim: () => false }),
    )
    const history: Call[] = []
    /** Refused calls, with the appends that were under way then. */
    const refusals: { call: Call | undefined; rivals: { isUnknown: boolean }[] }[] = []
    let time = 0
    let written = 0
    let log: EventLog | undefined
    const underWay = new Set<{ isUnknown: boolean }>()

    const write = async (on: EventLog) => {
      const [value, begin, expected] = [
        `v${++written}`,
        ++time,
        on.revisionOf('s') - (random() < 0.2 ? 1 : 0),
      ]
      const at = Math.max(-1, expected)
      const mine = { isUnknown: false }
      const rivals = [...underWay]
      underWay.add(mine)
      let outcome: Call['outcome'] = 'done'
      try {
        await on.append([to('s', at, { value })])
      } catch (error) {
        outcome = error instanceof RevisionConflict ? 'refused' : 'unknown'
        mine.isUnknown = outcome === 'unknown'
        if (mine.isUnknown) failures++
      }
      underWay.delete(mine)
      history.push({ operation: { kind: 'append', expected: at, value }, begin, end: ++time, outcome })
      if (outcome === 'refused') refusals.push({ call: history.at(-1), rivals })
    }
    const look = async (on: EventLog) => {
      const begin = ++time
      const values = (await all(on)).map(({ data }) => (data as { value: string }).value)
      history.push({ operation: { kind: 'read', values }, begin, end: ++time, outcome: 'done' })
    }
    const takeOver = async (n: number): Promise<void> => {
      const [node, other] = [nodes[n], nodes[1 - n]]
      if (node === undefined || other === undefined) return
      shareKeys(other.keys, node.keys)
      for (let tries = 0; tries < 20; tries++) {
        try {
          await node.replica.claim()
          log = openLog(node.replica.store, { ...testWorld(seed * 100 + written), build: 'test' })
          return
        } catch {} // the servers fail for a claim, too
      }
    }
    for (let round = 0; round < 8; round++) {
      const before = log
      const under = before ? [write(before), write(before)] : []
      await takeOver(round % 2)
      await Promise.all(under)
      for (let n = 0; n < 3 && log; n++) {
        await Promise.all([write(log), write(log)])
        await look(log)
      }
    }
    chance = 0
    servers.heal()
    await takeOver(0)
    if (log) await look(log)
    t.ok(written > 30)
    // The log refuses an append also when a rival, which is under way, has taken its place and fails later. Such a refusal
    // proves nothing about the stream; only that its own event must never be found.
    const vague = new Set(refusals.filter(each => each.rivals.some(r => r.isUnknown)).map(({ call }) => call))
    const judged = history.filter(call => !vague.has(call))
    t.ok(isLinearizable(judged), `seed ${seed}, ${judged.length} calls`)
    const last = history.at(-1)
    const found = last?.operation.kind === 'read' ? last.operation.values : []
    t.ok(found.length > 5)
    const lost = found.slice(0, -2).concat(found.slice(-1))
    t.notOk(isLinearizable([...judged, read(time + 1, time + 2, ...lost)]), 'a lost event would be found')
  }
  t.ok(failures > 0, 'something has failed')
})
