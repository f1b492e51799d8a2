// The bytes of records: nodes of different versions read them, so the form of each kind may not change unnoticed.
import t from 'tap'
import { type Content, type Kind, packContent, unpackContent } from '../../src/cluster/records/content.ts'
import { openRecord, originOf, sealRecord } from '../../src/cluster/records/form.ts'
import { packEvents, unpackEvents } from '../../src/cluster/records/packed-events.ts'
import { inParts, type Joined, join } from '../../src/cluster/records/parts.ts'
import { seal, unseal } from '../../src/cluster/records/sealing.ts'
import { UnfitRecord } from '../../src/cluster/shared-log.ts'
import { digestOf } from '../../src/log/leaf.ts'
import type { PackedBatch } from '../../src/log/store.ts'

const key = Buffer.alloc(32, 1)
const sealed = seal(key, 'plain', Buffer.alloc(12, 2))
const contents: Content[] = [
  { kind: 'begin', facts: { log_id: 'log_1', version: 1, position: 0 }, parts: [] },
  { kind: 'claim', facts: { node: 'a', url: 'http://a', position: 3 }, parts: [] },
  {
    kind: 'events',
    facts: {
      ...{ first: 1, streamNos: [1], revisions: [0], newStreams: [{ no: 1, id: 'task-1' }] },
      ...{ long: [], erasures: [], gone: [], keys: [[1, 2, 3]] },
    },
    parts: [Buffer.from('digest{header'), sealed],
  },
  { kind: 'part', facts: { n: 0, of: 2 }, parts: [Buffer.from('half')] },
  { kind: 'piece', facts: { payload: 1, n: 0, key: [2, 4] }, parts: [sealed] },
  { kind: 'drop', facts: { payload: 1 }, parts: [] },
  { kind: 'secret', facts: { ref: 'r', key: [2, 5] }, parts: [sealed] },
  { kind: 'forget', facts: { ref: 'r' }, parts: [] },
]
/** The signature of each record of a chain; it covers all of its bytes. */
const golden: Record<Kind, string> = {
  begin: 'FvUmQiRFkw88keHtpUPb7_4vxSJGXDherwKSAe4Z3G0',
  claim: 'mT2tEycy44U1VY6vIyOA7iZMTCSzvhFi1Co4hwJlRxM',
  events: 'RO0QPaF9Su0Jy7ZqFjn54J1rsVVt51E-HWUJ9w81XN4',
  part: 'uWJk6FP5k5zuy4AbtuqgJlhLxCVmR84m-BLTdRNrfLo',
  piece: 'BG215vtL2DzvcuNHMkdrJWeVMEeHLgbVNeMfEgjcXC8',
  drop: 'xyjlYw-xqZRXckAZns20HMA5XaewQ6H5Z4tO2QLCjBM',
  secret: 'GgufJc1FOr01EU-Zx7cjTFOozBPnZFt1YvddpMU9D9Q',
  forget: '_X5GJEopG17oa913PB0yjvAhiVRQX9FIRvMl6J09IDk',
}
const chain = () => {
  let before = originOf('log_1')
  return contents.map((content, n) => {
    const { bytes, digest } = sealRecord(key, before, packContent(content))
    before = digest
    return { sequence: n + 1, bytes }
  })
}

t.test('each kind of record has the bytes that it always had', async t => {
  for (const [n, { bytes }] of chain().entries()) {
    const kind = contents[n]?.kind ?? 'begin'
    t.equal(bytes.subarray(-32).toString('base64url'), golden[kind], kind)
  }
})

t.test('a record gives back its content, and names the record before it', async t => {
  let before = originOf('log_1')
  for (const [n, record] of chain().entries()) {
    const opened = openRecord(key, record)
    t.ok(opened.before.equals(before))
    t.same(unpackContent(opened.content), contents[n])
    before = opened.digest
  }
})

t.test('a record with any other byte is refused, and the error names it', async t => {
  for (const { sequence, bytes } of chain()) {
    for (let at = 0; at < bytes.length; at++) {
      const changed = Buffer.from(bytes)
      changed[at] = (changed[at] ?? 0) ^ 1
      try {
        openRecord(key, { sequence, bytes: changed })
        t.fail(`byte ${at} of record ${sequence} may be changed`)
      } catch (error) {
        if (!(error instanceof UnfitRecord) || error.sequence !== sequence) t.fail(String(error))
      }
    }
  }
})

t.test('a record of another cluster, of a newer version, or of something else is refused', async t => {
  const [record] = chain()
  const bytes = record?.bytes ?? Buffer.alloc(0)
  const open = (changed: Uint8Array, withKey = key) => openRecord(withKey, { sequence: 1, bytes: changed })
  t.throws(() => open(bytes, Buffer.alloc(32, 9)), { message: /CLUSTER_KEY_FILE/ })
  const newer = Buffer.from(bytes)
  newer[4] = 2
  t.throws(() => open(newer), { message: /version 2.*run a newer reprise/ })
  t.throws(() => open(Buffer.from('hello')), { message: /no record of Reprise/ })
  t.throws(() => unpackContent(Buffer.of(99)), { message: /run a newer reprise/ })
  t.throws(() => unpackContent(Buffer.of(1, 0, 0, 0, 9, 1)), { message: /ends too early/ })
})

t.test('a long record travels in parts, and only the last one commits it', async t => {
  const [, , events = contents[0]] = contents
  const whole = packContent(events as Content)
  const parts = inParts(whole, 200).map(part => unpackContent(part))
  t.ok(parts.length > 2)
  let joined: Joined = []
  for (const [n, part] of parts.entries()) {
    if (part.kind !== 'part') throw new Error(part.kind)
    const next = join(joined, part.facts, part.parts[0] ?? new Uint8Array())
    joined = next.joined
    t.equal(next.whole !== undefined, n === parts.length - 1)
    if (next.whole) t.same(next.whole, whole)
  }
})

t.test('rows are opened with their keys; without a key, their digests are left', async t => {
  const batch: PackedBatch = {
    ...{ first: 5, streamNos: [1, 2, 1], revisions: [0, 4, 1], newStreams: [{ no: 1, id: 'task-1' }] },
    texts: ['{"a":1', '{"x":"é"}', 'salt1', '{"b":1', '', '', '{"c":1', '[2]', 'salt3'],
    ...{ long: [], erasures: [], gone: [{ position: 6, digest: 'd'.repeat(43) }] },
  }
  const { content, digests } = packEvents(
    batch,
    () => '',
    streamNo => ({ name: [9, streamNo], key }),
  )
  t.same(content.facts.keys, [[1, 9, 1]])
  t.equal(digests, digestOf('salt1', '{"x":"é"}') + 'd'.repeat(43) + digestOf('salt3', '[2]'))
  t.same(unpackEvents(content, () => key).batch, { ...batch, digests })
  const erased = unpackEvents(content, () => 'destroyed')
  t.same(
    erased.batch.gone?.map(({ position }) => position),
    [5, 6, 7],
  )
  t.same(erased.lacking, [])
  t.same(unpackEvents(content, () => undefined).lacking, [[9, 1]])
  t.throws(() => unpackEvents(content, () => Buffer.alloc(32, 5)))
})

t.test('what a key has sealed, no other key opens', async t => {
  t.equal(unseal(key, seal(key, 'ä text')), 'ä text')
  t.throws(() => unseal(Buffer.alloc(32, 3), sealed))
})
