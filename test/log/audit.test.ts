// The log read back as it is stored: in small pages, for one owner as well, and never past what is broken.

import { readFileSync, writeFileSync } from 'node:fs'
import Database from 'better-sqlite3'
import t, { type Test } from 'tap'
import type { AuditTrail, StoredEvent } from '../../src/contract/audit.ts'
import { DamagedEvent } from '../../src/contract/stored.ts'
import { openAuditTrail } from '../../src/log/audit.ts'
import { sqliteReader } from '../../src/log/file/sqlite-reader.ts'
import { givenFileOf, placesOf } from './damaged-file.ts'
import { fileIn, numbered, openFile, to } from './support.ts'

const read = async (pages: AsyncIterable<StoredEvent[]>) => {
  const events: StoredEvent[] = []
  const sizes: number[] = []
  let error: unknown
  try {
    for await (const page of pages) {
      sizes.push(page.length)
      events.push(...page)
    }
  } catch (caught) {
    error = caught
  }
  return { events, sizes, error, positions: events.map(({ position }) => position) }
}
const trailOf = (t: Test, file: string, head: number): AuditTrail => {
  const trail = openAuditTrail(file, { head: () => head, newestOf: () => undefined })
  t.teardown(() => trail.close())
  return trail
}

t.test('the head is where reading ends, whatever is appended meanwhile', async t => {
  const file = await givenFileOf(t, 450, 3)
  const trail = trailOf(t, file, 430)
  const { positions, sizes, error } = await read(trail.events(0, {}))
  t.equal(error, undefined)
  t.equal(positions.length, 430)
  t.ok(sizes.length > 1, 'in pages')
  t.equal((await read(trail.events(0, { stream: 'task-1' }))).positions.at(-1), 428)
  const beyond = await read(trailOf(t, file, 460).events(0, {}))
  t.match(beyond.error, { position: 451 }, 'an end that is missing is missed')
})

t.test('the list of streams shows no event that a power failure could still lose', async t => {
  const file = fileIn(t.testdir({}))
  const log = await openFile(t, file)
  await log.append([to('a', -1, { n: 0 }), to('b', -1, { n: 1 })])
  await log.append([to('a', 0, { n: 2 }), to('c', -1, { n: 3 })])
  const shown = async (head: number) => {
    const found: string[] = []
    for await (const page of trailOf(t, file, head).streams(0, {}))
      found.push(
        ...page.map(({ stream, revision, last_position }) => `${stream}@${revision} ${last_position}`),
      )
    return found
  }
  t.same(await shown(2), ['a@0 1', 'b@0 2'], 'the second commit is in the file, but not synced yet')
  t.same(await shown(4), ['a@1 3', 'b@0 2', 'c@0 4'])
})

t.test('long events come in pages of few', async t => {
  const file = fileIn(t.testdir({}))
  const log = await openFile(t, file)
  for (const { n } of numbered(10)) await log.append([to('task-a', n - 1, { text: 'x'.repeat(250_000) })])
  for (const filter of [{}, { stream: 'task-a' }, { owner: 'user-1' }]) {
    const { sizes } = await read(trailOf(t, file, 10).events(0, filter))
    t.same(sizes, [5, 5])
  }
})

t.test("one owner's events are found between those of others, however far apart", async t => {
  const file = fileIn(t.testdir({}))
  const log = await openFile(t, file)
  // Names that could be taken for the words of a header.
  const owner = 'x","owner":"user-1","session_id":"'
  const many = (stream: string, count: number) => ({ ...to(stream, -1, ...numbered(count)), owner: 'other' })
  const mine: number[] = []
  const add = async (stream: string) => {
    const [event] = await log.append([{ ...to(stream, -1, { mine: true }), owner }])
    mine.push(event?.position ?? 0)
  }
  await log.append([{ ...to('first', -1, { n: 0 }), causation_id: owner, owner: 'other' }])
  await add('a')
  await log.append([many('b', 2500)])
  await add('c')
  await add('d')
  await log.append([many('e', 4100)])
  await add('f')
  await log.append([many('g', 100)])
  const trail = trailOf(t, file, log.head())
  t.same((await read(trail.events(0, { owner }))).positions, mine)
  t.same((await read(trail.events(mine[1] ?? 0, { owner }))).positions, mine.slice(2))
  t.same((await read(trail.events(0, { owner: 'user-1' }))).positions, [])
  const names: string[] = []
  for await (const page of trail.streams(0, { owner })) names.push(...page.map(({ stream }) => stream))
  t.same(names, ['a', 'c', 'd', 'f'])
})

t.test(
  'a reader takes its turn: others run between two pages, and two readers never in one turn',
  async t => {
    const file = await givenFileOf(t, 2000, 3)
    const trail = trailOf(t, file, 2000)
    let turn = 0
    let counting = true
    const count = () => {
      turn++
      if (counting) setImmediate(count)
    }
    setImmediate(count)
    const turns: number[] = []
    const readAll = async () => {
      for await (const _ of trail.events(0, {})) turns.push(turn)
    }
    await Promise.all([readAll(), readAll(), readAll()])
    counting = false
    t.equal(turns.length, 30)
    t.equal(new Set(turns).size, turns.length, turns.join(' '))
  },
)

t.test(
  'whichever page of the file is overwritten, what is read is right, and the first that is not is named',
  async t => {
    const file = await givenFileOf(t, 600, 5)
    const bytes = readFileSync(file)
    const whole = (await read(trailOf(t, file, 600).events(0, {}))).events
    t.equal(whole.length, 600)
    const placeOf = placesOf(file)
    const pageSize = 4096
    const pageOf = (position: number) => Math.floor(placeOf(position, 'salt').at / pageSize)
    for (const position of [150, 300, 301, 450]) {
      const damaged = Buffer.from(bytes)
      damaged.fill(0xff, pageOf(position) * pageSize, (pageOf(position) + 1) * pageSize)
      writeFileSync(file, damaged)
      const trail = openAuditTrail(file, { head: () => 600, newestOf: () => undefined })
      const { events, error } = await read(trail.events(0, {}))
      t.ok(error instanceof DamagedEvent, String(error))
      t.same(events, whole.slice(0, events.length))
      const at = (error as DamagedEvent).position
      t.equal(at, events.length + 1)
      t.equal(pageOf(at), pageOf(position), 'it stands on that page')
      for (const { n } of numbered(5)) {
        const stream = `task-${n}`
        const own = whole.filter(({ about }) => about.stream === stream)
        const { events, error } = await read(trail.events(0, { stream }))
        t.same(events, own.slice(0, events.length))
        if (events.length < own.length) t.match(error, { position: own[events.length]?.position }, stream)
      }
      const mine = await read(trail.events(0, { owner: 'user-1' }))
      t.same(mine.events, whole.slice(0, mine.events.length))
      t.ok(mine.error instanceof DamagedEvent)
      await trail.close()
    }
  },
)

t.test('what it yields is what the file holds', async t => {
  const file = await givenFileOf(t, 300, 3)
  const { events } = await read(trailOf(t, file, 300).events(0, {}))
  const reader = sqliteReader(file)
  const rows = reader.page(0, 1000)
  await reader.close()
  t.same(
    events.map(({ about, ...texts }) => ({ ...texts, stream: about.stream, revision: about.revision })),
    rows,
  )
})

t.test('a stream whose entry leads to another one is damaged', async t => {
  const file = fileIn(t.testdir({}))
  const log = await openFile(t, file)
  for (const stream of ['task-a', 'task-b', 'task-c']) await log.append([to(stream, -1, {})])
  await log.close()
  const db = new Database(file)
  const root = db
    .prepare<[], number>("SELECT rootpage FROM sqlite_schema WHERE name = 'sqlite_autoindex_streams_1'")
    .pluck()
    .get()
  db.close()
  const bytes = readFileSync(file)
  const at = bytes.indexOf('task-c', ((root ?? 0) - 1) * 4096) + 'task-c'.length
  t.equal(bytes[at], 3, 'the number of the third stream')
  bytes[at] = 2
  writeFileSync(file, bytes)
  const trail = trailOf(t, file, 3)
  t.match(await read(trail.events(0, { stream: 'task-c' })), { positions: [], error: { position: 2 } })
  t.match(await read(trail.events(0, { stream: 'task-b' })), { positions: [2], error: undefined })
})
