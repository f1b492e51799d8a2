import { readFileSync, writeFileSync } from 'node:fs'
import t from 'tap'
import { DamagedEvent, type Recorded } from '../../src/contract/stored.ts'
import { sqliteReader } from '../../src/log/file/sqlite-reader.ts'
import { openLog } from '../../src/log/log.ts'
import { memoryStore } from '../../src/log/memory-store.ts'
import { testWorld } from '../support/world.ts'
import { type Field, flip, givenFileOf, placesOf, streamOfEvent } from './damaged-file.ts'
import { all, dataOf, numbered, openFile, places, rejection, streamOf, to } from './support.ts'

const streams = 40
const count = 800

t.test('one flipped bit in the middle of the log is found, and named by its position', async t => {
  const file = await givenFileOf(t, count, streams)
  const placeOf = placesOf(file)
  // Each damaged event in a stream of its own: 4 fields, at the start, the middle and the end, two bits.
  const damaged = new Map<string, { position: number; what: string }>()
  let position = 200
  for (const field of ['header', 'payload', 'salt', 'leaf'] as Field[]) {
    for (const part of [0, 0.5, 1]) {
      for (const mask of [0x01, 0x80]) {
        const { at, length } = placeOf(++position, field)
        flip(file, at + Math.floor(part * (length - 1)), mask)
        const what = `bit ${mask} of ${field} at ${part}`
        damaged.set(streamOfEvent(position - 1, streams), { position, what })
      }
    }
  }
  const log = await openFile(t, file)
  t.equal(damaged.size, 24)
  for (const [stream, { position, what }] of damaged) {
    const error = await rejection(streamOf(log, stream))
    t.ok(error instanceof DamagedEvent, what)
    t.match(error, { position }, what)
    t.match(await rejection(all(log, position - 1)), { position }, `${what}, in the whole log`)
  }
  for (let n = 0; n < streams; n++) {
    const stream = streamOfEvent(n, streams)
    if (!damaged.has(stream))
      t.equal((await streamOf(log, stream)).length, count / streams, `${stream} is whole`)
  }
  t.equal((await all(log, position)).length, count - position, 'what stands behind can be read')
})

t.test('a log with damage in its middle takes new events, in the damaged stream too', async t => {
  const file = await givenFileOf(t, count, streams)
  flip(file, placesOf(file)(300, 'payload').at, 1)
  const log = await openFile(t, file)
  const stream = streamOfEvent(299, streams)
  const events = await log.append([to(stream, count / streams - 1, { n: -1 }), to('new', -1, { n: -2 })])
  t.same(places(events), [`801 ${stream}@20`, '802 new@0'])
  t.same(dataOf(await streamOf(log, stream, 19)), [{ n: -1 }], 'and reading after the damage goes on')
  t.match(await rejection(streamOf(log, stream)), { position: 300 })
})

t.test('whichever byte of a page is damaged, reading shows no wrong event and misses none', async t => {
  const file = await givenFileOf(t, 600, 5)
  const bytes = readFileSync(file)
  const pageSize = 4096
  const read = async (): Promise<{ events: Recorded[]; error: unknown }> => {
    const log = openLog({ ...memoryStore(), ...sqliteReader(file) }, { ...testWorld(), build: 'test' })
    const events: Recorded[] = []
    try {
      const error = await (async () => {
        for await (const page of log.readAll()) events.push(...page)
        if (events.length < 600) return
        for (const { n } of numbered(5)) await streamOf(log, streamOfEvent(n, 5))
      })().catch(error => error)
      return { events, error }
    } finally {
      await log.close()
    }
  }
  const { events: whole } = await read()
  t.equal(whole.length, 600)
  const placeOf = placesOf(file)
  /** The first and the last event whose text stands on a page. */
  const eventsOn = (page: number) => {
    const on = whole.filter(
      ({ position }) => Math.floor(placeOf(position, 'salt').at / pageSize) * pageSize === page,
    )
    return [on[0]?.position ?? 0, on.at(-1)?.position ?? 0] as const
  }
  const wholeText = JSON.stringify(whole)
  const page = Math.floor(placeOf(150, 'salt').at / pageSize) * pageSize
  const [first, last] = eventsOn(page)
  const wrong: string[] = []
  const elsewhere = new Set<number>()
  const other = new Set<string>()
  let found = 0
  // The page's own header and the first bytes of its cells are the interesting ones; the rest by samples.
  const offsets = [...numbered(40), ...numbered(230).map(({ n }) => ({ n: 40 + n * 17 }))].map(({ n }) => n)
  for (const offset of offsets.filter(offset => offset < pageSize)) {
    const damaged = Buffer.from(bytes)
    damaged.writeUInt8(damaged.readUInt8(page + offset) ^ (1 << (offset % 8)), page + offset)
    writeFileSync(file, damaged)
    const { events, error } = await read().catch(error => ({ events: [], error }))
    if (error instanceof DamagedEvent) {
      found++
      // Who reads one of the five streams knows only where its last readable event stood.
      if (error.position <= first - 5 || error.position > last) elsewhere.add(error.position)
    } else if (error !== undefined) other.add(String(error))
    else if (JSON.stringify(events) !== wholeText)
      wrong.push(`byte ${offset} of the page: ${events.length} events`)
  }
  t.ok(found > 100, `${found} damages found`)
  t.same(wrong, [], 'no damage goes unnoticed')
  t.same([...other], [], 'each is told as a damaged event')
  t.same([...elsewhere], [], `each names an event of the page, ${first} to ${last}`)
})
