// Which streams use which keys is written to the file for many streams at once, since each commit waits for the disk.
import path from 'node:path'
import t, { type Test } from 'tap'
import { openKeyFile } from '../../src/cluster/keys/key-file.ts'
import { createKeyUses } from '../../src/cluster/keys/key-uses.ts'
import type { KeyName } from '../../src/cluster/records/content.ts'

const streams = Array.from({ length: 1000 }, (_, n) => n + 1)
const keyOf = (streamNo: number) => ({
  name: [1, streamNo] as KeyName,
  key: Buffer.alloc(32, streamNo % 251 || 1),
})

/** The uses in a file that has a key for each stream, and how often it was written. */
const usesHere = (t: Test) => {
  const file = openKeyFile(path.join(t.testdir({}), 'stream-keys.db'))
  t.teardown(file.close)
  file.commit(() => {
    for (const streamNo of streams) file.add({ epoch: 1, n: streamNo, key: keyOf(streamNo).key })
  })
  let commits = 0
  const counted = {
    ...file,
    commit(work: () => void): void {
      commits++
      file.commit(work)
    },
  }
  return { open: () => createKeyUses(counted), commits: () => commits }
}

t.test('a node that reads records of a thousand new streams writes their keys once', async t => {
  const { open, commits } = usesHere(t)
  const uses = open()
  uses.read(streams.map(streamNo => [streamNo, ...keyOf(streamNo).name]))
  t.equal(commits(), 0)
  uses.write()
  t.equal(commits(), 1)
  const again = open()
  t.same(
    streams.map(streamNo => again.of(streamNo, false)),
    streams.map(keyOf),
  )
})

t.test('an owner that goes on with streams of the past writes no commit for each of them', async t => {
  const { open, commits } = usesHere(t)
  const before = open()
  const [old, young] = [streams.slice(0, 500), streams.slice(500)]
  for (const streamNo of old) before.begin(streamNo, keyOf(streamNo))
  before.write()
  const uses = open()
  const found = young.map((streamNo, n) => {
    uses.begin(streamNo, keyOf(streamNo))
    return uses.of(old[n] ?? 0, false)
  })
  t.same(found, old.map(keyOf))
  t.equal(commits(), 1)
})

t.test('a key that a stream uses beside its own is found before it is written', async t => {
  const { open } = usesHere(t)
  const uses = open()
  uses.add(7, keyOf(7).name)
  t.same(uses.of(7, false), keyOf(7))
})
