// A WAL that is made longer in large steps, and synced without the journal of the file system.
import { copyFileSync, readFileSync, statSync } from 'node:fs'
import t from 'tap'
import { durableRows } from '../../src/log/log.ts'
import { memoryStore } from '../../src/log/memory-store.ts'
import { createReading } from '../../src/log/reading.ts'
import { all, fileIn, numbered, openFile, openOn, to } from './support.ts'

const MiB = 2 ** 20
const text = 'x'.repeat(20_000)

t.test('a long WAL gets its whole length at once, and what is behind its last event is not read', async t => {
  const file = fileIn(t.testdir({ copy: {} }))
  const log = await openFile(t, file)
  const walSize = () => statSync(`${file}-wal`).size
  let revision = -1
  const append = () => log.append([to('s', revision++, { text })])
  while (walSize() <= MiB) await append()
  await append() // the writer has made the WAL longer before it took this event
  const size = walSize()
  t.ok(size > 32 * MiB, `${size} bytes`)
  for (let n = 0; n < 20; n++) await append()
  t.equal(walSize(), size)
  t.ok(
    readFileSync(`${file}-wal`)
      .subarray(-MiB)
      .every(byte => byte === 0),
    'its end is empty',
  )
  const copy = fileIn(`${t.testdirName}/copy`)
  for (const suffix of ['', '-wal']) copyFileSync(file + suffix, copy + suffix)
  t.equal((await all(await openFile(t, copy))).length, revision + 1, 'after a crash')
})

t.test('a reader gets no event that a power failure could still lose', async t => {
  const store = memoryStore()
  const log = await openOn(t, store)
  await log.append([to('a', -1, ...numbered(5))])
  await log.append([to('b', -1, ...numbered(2))])
  const synced = () => 3
  const reading = createReading(durableRows(store, synced), synced)
  const positions = async (pages: AsyncIterable<{ position: number }[]>) => {
    const found: number[] = []
    for await (const page of pages) found.push(...page.map(({ position }) => position))
    return found
  }
  t.same(await positions(reading.readAll()), [1, 2, 3])
  t.same(await positions(reading.readStream('a')), [1, 2, 3])
  t.same(await positions(reading.readStream('b')), [])
})
