import t from 'tap'
import type { Recorded } from '../../src/contract/stored.ts'
import { memoryStore } from '../../src/log/memory-store.ts'
import { settle } from '../support/world.ts'
import { all, deferred, numbered, onBothStores, oneToN, openOn, places, sameText, to } from './support.ts'

const positions = (events: Recorded[]) => events.map(({ position }) => position)

onBothStores('hundreds of callers share few commits, and each gets its own answer', async (t, { log }) => {
  const commits: number[][] = []
  log.onCommit(events => void commits.push(positions(events)))
  const answers = await Promise.all(
    numbered(700).map(data => log.append([to(`s${data.n}`, -1, data, { second: data.n })])),
  )
  sameText(
    t,
    answers.map(places),
    answers.map((_, n) => [`${2 * n + 1} s${n}@0`, `${2 * n + 2} s${n}@1`]),
  )
  t.ok(commits.length <= 20, `${commits.length} commits for 700 appends`)
  sameText(t, commits.flat(), oneToN(1400), 'each event told once, in order')
  t.equal((await all(log)).length, 1400)
})

onBothStores('callers who come while a commit is under way wait for the next one', async (t, { log }) => {
  const commits: number[][] = []
  log.onCommit(events => void commits.push(positions(events)))
  const calls: Promise<Recorded[]>[] = []
  for (const data of numbered(200)) {
    calls.push(log.append([to(`s${data.n}`, -1, data)]))
    if (data.n % 10 === 0) await new Promise(resolve => setImmediate(resolve))
  }
  const answers = await Promise.all(calls)
  sameText(t, answers.flatMap(positions), oneToN(200), 'nobody is forgotten')
  sameText(t, commits.flat(), oneToN(200))
})

onBothStores('an append of many events is one commit', async (t, { log }) => {
  const commits: number[][] = []
  log.onCommit(events => void commits.push(positions(events)))
  const small = log.append([to('first', -1, {})])
  const large = log.append([to('a', -1, ...numbered(1500)), to('b', -1, ...numbered(1500))])
  await Promise.all([small, large])
  const commit = commits.find(events => events.includes(2))
  t.ok(commit?.includes(3001), 'the first and the last of its events are in the same commit')
})

onBothStores('listeners hear of a commit before its callers are answered', async (t, { log }) => {
  const told: string[] = []
  log.onCommit(events => void told.push(`one ${positions(events)}`))
  log.onCommit(events => void told.push(`two ${positions(events)} of ${log.head()}`))
  await log.append([to('a', -1, {}, {})]).then(() => told.push('answered'))
  t.same(told, ['one 1,2', 'two 1,2 of 2', 'answered'])
})

onBothStores('callers wait for a listener that answers with a promise', async (t, { log }) => {
  const [slow, told] = [deferred(), [] as string[]]
  log.onCommit(async () => {
    await slow.promise
    told.push('slow')
  })
  log.onCommit(() => void told.push('next'))
  const call = log.append([to('a', -1, {})]).then(() => told.push('answered'))
  await new Promise(resolve => setTimeout(resolve, 30))
  t.same(told, [], 'nobody is answered while the first listener is at work')
  slow.resolve()
  await call
  t.same(told, ['slow', 'next', 'answered'])
})

onBothStores('listeners hear of one commit after the other', async (t, { log }) => {
  const told: string[] = []
  let turns = 10
  log.onCommit(async events => {
    const [first, last] = [events[0]?.position, events.at(-1)?.position]
    told.push(`begins ${first}-${last}`)
    turns = Math.max(0, turns - 3) // the first is the slowest
    await settle(turns)
    told.push(`ends ${first}-${last}`)
  })
  const answered: number[] = []
  await Promise.all(
    numbered(900).map(async data => {
      const [event] = await log.append([to(`s${data.n}`, -1, data)])
      answered.push(event?.position ?? 0)
    }),
  )
  t.ok(told.length >= 4, 'several commits')
  for (let i = 0; i < told.length; i += 2) {
    t.equal(told[i + 1], told[i]?.replace('begins', 'ends'), 'none begins before the other has ended')
  }
  sameText(t, answered, oneToN(900))
})

onBothStores('closing waits for the listeners', async (t, { log }) => {
  const told: string[] = []
  log.onCommit(async () => {
    await settle(20)
    told.push('listened')
  })
  const call = log.append([to('a', -1, {})]).then(() => told.push('answered'))
  await log.close()
  await call
  t.same(told, ['listened', 'answered'])
})

onBothStores('what was answered can be read at once', async (t, { log }) => {
  await Promise.all(
    numbered(40).map(async data => {
      const [event] = await log.append([to(`s${data.n}`, -1, data)])
      const { position } = event ?? { position: 0 }
      const [read] = await all(log, position - 1)
      t.match(
        { head: log.head() >= position, leaf: log.leafAt(position), read },
        { head: true, leaf: String, read: { data } },
      )
    }),
  )
})

t.test('nothing is told or answered before it is written', async t => {
  const [store, writing] = [memoryStore(), deferred()]
  const log = await openOn(t, {
    ...store,
    async write(batch) {
      await writing.promise
      await store.write(batch)
    },
  })
  const told: string[] = []
  log.onCommit(() => void told.push('told'))
  const call = log.append([to('a', -1, {})]).then(() => told.push('answered'))
  await settle(50)
  t.same(told, [])
  t.equal(log.head(), 0, 'the head is what is durable')
  writing.resolve()
  await call
  t.same(told, ['told', 'answered'])
})

t.test('while the disk is busy, callers gather: the commits under way are few', async t => {
  const store = memoryStore()
  let [underWay, most, writes] = [0, 0, 0]
  const log = await openOn(t, {
    ...store,
    async write(batch) {
      writes++
      most = Math.max(most, ++underWay)
      await new Promise(resolve => setTimeout(resolve, 2))
      underWay--
      await store.write(batch)
    },
  })
  const calls: Promise<unknown>[] = []
  for (const data of numbered(1000)) {
    calls.push(log.append([to(`s${data.n}`, -1, data)]))
    if (data.n % 50 === 0) await settle(1)
  }
  await Promise.all(calls)
  t.ok(most <= 2, `${most} writes at once`)
  t.ok(writes < 100, `${writes} writes for 1000 appends`)
  sameText(t, positions(await all(log)), oneToN(1000))
})
