import t from 'tap'
import type { EventLog } from '../../src/log/log.ts'
import { isCorrupt } from '../../src/platform/sqlite/errors.ts'
import {
  all,
  dataOf,
  numbered,
  onBothStores,
  oneToN,
  pagesOf,
  places,
  sameText,
  streamOf,
  to,
} from './support.ts'

const given = (log: EventLog) =>
  log.append([
    to('short', -1, { n: -1 }),
    to('long', -1, ...numbered(1600)),
    to('other', -1, ...numbered(900)),
  ])

onBothStores('a stream of more than a thousand events is read in pages', async (t, { log }) => {
  await given(log)
  const pages = await pagesOf(log.readStream('long'))
  t.ok(pages.length > 1, 'more than one page')
  t.ok(pages.every(page => page.length > 0 && page.length <= 1000))
  sameText(t, dataOf(pages.flat()), numbered(1600))
  sameText(
    t,
    pages.flat().map(({ header }) => header.revision),
    numbered(1600).map(({ n }) => n),
  )
})

onBothStores('the whole log is read in pages, streams mixed, in order', async (t, { log }) => {
  await log.append([
    to('a', -1, ...numbered(700)),
    to('b', -1, ...numbered(700)),
    to('c', -1, ...numbered(900)),
  ])
  const pages = await pagesOf(log.readAll())
  t.ok(pages.length > 1)
  t.ok(pages.every(page => page.length > 0 && page.length <= 1000))
  sameText(
    t,
    pages.flat().map(({ position }) => position),
    oneToN(2300),
  )
})

onBothStores('reading goes on after any place', async (t, { log }) => {
  await log.append([to('a', -1, ...numbered(1100)), to('b', -1, ...numbered(1100))])
  for (const after of [0, 1, 1000, 1199, 1200, 2199]) {
    const events = await all(log, after)
    t.equal(events[0]?.position, after + 1)
    t.equal(events.length, 2200 - after, `everything after position ${after}`)
  }
  for (const after of [-1, 0, 99, 999, 1000, 1098]) {
    const events = await streamOf(log, 'b', after)
    t.equal(events[0]?.header.revision, after + 1)
    t.equal(events.length, 1099 - after, `everything after revision ${after}`)
  }
})

onBothStores(
  'there is nothing after the end, and nothing in a stream that is not there',
  async (t, { log }) => {
    t.same(await all(log), [])
    t.same(await streamOf(log, 'a'), [])
    await log.append([to('a', -1, {}, {})])
    t.same(await pagesOf(log.readAll(2)), [])
    t.same(await pagesOf(log.readAll(99)), [])
    t.same(await pagesOf(log.readStream('a', 1)), [])
    t.same(await pagesOf(log.readStream('a', 99)), [])
    t.same(await pagesOf(log.readStream('no-such')), [])
    t.same(await pagesOf(log.readStream('A')), [], 'the names of streams are exact')
  },
)

for (const count of [999, 1000, 1001, 2000]) {
  onBothStores(`${count} events end where they should`, async (t, { log }) => {
    await log.append([to('a', -1, ...numbered(count))])
    sameText(t, dataOf(await all(log)), numbered(count))
    sameText(t, dataOf(await streamOf(log, 'a')), numbered(count))
    t.ok((await pagesOf(log.readStream('a'))).every(page => page.length > 0))
  })
}

onBothStores('a reader that is overtaken by appends misses and doubles nothing', async (t, { log }) => {
  await log.append([to('a', -1, ...numbered(1500))])
  const read: unknown[] = []
  const calls: Promise<unknown>[] = []
  let next = 1500
  for await (const page of log.readAll()) {
    read.push(...dataOf(page))
    if (next < 4000) calls.push(log.append([to('a', next - 1, ...numbered(300, next))]))
    next += 300
    await calls.at(-1)
  }
  sameText(t, read, numbered(read.length))
  t.ok(read.length >= 1500)
  await Promise.all(calls)
})

onBothStores('readers side by side do not disturb each other', async (t, { log }) => {
  await log.append([to('a', -1, ...numbered(1500)), to('b', -1, ...numbered(1500, 1500))])
  const [one, two, three] = await Promise.all([all(log), streamOf(log, 'a'), streamOf(log, 'b')])
  t.equal(one.length, 3000)
  sameText(t, dataOf(two), numbered(1500))
  sameText(t, dataOf(three), numbered(1500, 1500))
})

onBothStores('the last revision, the head and the leaves are known', async (t, { log, store, reopened }) => {
  t.equal(log.revisionOf('a'), -1)
  t.equal(log.head(), 0)
  t.equal(log.leafAt(1), undefined)
  await log.append([to('a', -1, {}, {}), to('b', -1, {})])
  const leaves = store.page(0, 10).map(({ leaf }) => leaf)
  const look = (log: EventLog) => ({
    revisions: [log.revisionOf('a'), log.revisionOf('b'), log.revisionOf('c')],
    head: log.head(),
    leaves: [0, 1, 2, 3, 4].map(position => log.leafAt(position)),
  })
  const expected = { revisions: [1, 0, -1], head: 3, leaves: [undefined, ...leaves, undefined] }
  t.same(look(log), expected)
  t.same(look(await reopened()), expected, 'after a restart too')
})

onBothStores('a log keeps its id', async (t, { log, reopened }) => {
  t.ok(log.id.length > 0)
  t.equal((await reopened()).id, log.id)
})

onBothStores('streams whose names look alike are different streams', async (t, { log, reopened }) => {
  const names = [
    'task-1',
    'Task-1',
    'task-1 ',
    'task-10',
    'task-',
    '__proto__',
    'constructor',
    'tàsk-1',
    "'; --",
  ]
  await log.append(names.map((name, n) => to(name, -1, { n })))
  await log.append(names.map((name, n) => to(name, 0, { n: n + 100 })))
  const again = await reopened()
  for (const [n, name] of names.entries()) {
    t.same(dataOf(await streamOf(again, name)), [{ n }, { n: n + 100 }], name)
    t.equal(again.revisionOf(name), 1)
  }
  t.same(places(await all(again)).slice(0, 2), ['1 task-1@0', '2 Task-1@0'])
})

t.test('what cannot be read is damage, and what cannot be written on a full disk is none', async t => {
  const damage = ['CORRUPT', 'CORRUPT_INDEX', 'NOTADB', 'IOERR', 'IOERR_READ', 'IOERR_SHORT_READ', 'CANTOPEN']
  const none = ['FULL', 'IOERR_WRITE', 'IOERR_FSYNC', 'IOERR_SHMSIZE', 'IOERR_TRUNCATE', 'BUSY', 'READONLY']
  for (const code of damage) t.ok(isCorrupt({ code: `SQLITE_${code}` }), code)
  for (const code of none) t.notOk(isCorrupt({ code: `SQLITE_${code}` }), code)
})
