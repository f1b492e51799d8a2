// What a standby says while a record of the shared log cannot be taken, and it reads the log from its beginning again and again.
import t from 'tap'
import { createConditions } from '../../src/cluster/conditions.ts'
import { createMemoryServers, type MemoryServers } from '../../src/cluster/memory-log.ts'
import { startFollowing } from '../../src/cluster/replica/following.ts'
import { type SharedRecord, UnfitRecord } from '../../src/cluster/shared-log.ts'
import { testWorld } from '../support/world.ts'

/** A standby that reads whatever the servers have, but takes no record from `bad.from` on. */
const given = (servers: MemoryServers) => {
  const world = testWorld()
  const lines: string[] = []
  const conditions = createConditions({ ...world, report: (_, text) => void lines.push(text) })
  const bad = { from: Number.POSITIVE_INFINITY }
  let sequence = 0
  let rewinds = 0
  const mark = () => ({ sequence, valid: sequence, digest: Buffer.alloc(0), position: 0 })
  const intake = {
    async take(records: readonly SharedRecord[]) {
      for (const record of records) {
        if (record.sequence >= bad.from)
          throw new UnfitRecord(record.sequence, 'follows another record than the one read before it', true)
        sequence = record.sequence
      }
    },
    async rewind() {
      rewinds++
      sequence = 0
    },
    at: mark,
    isSame: async () => sequence <= servers.records().length,
    head: () => 0,
    claim: () => undefined,
    async restart() {},
  }
  const following = startFollowing({
    ...{ local: { async reopen() {} }, shared: servers.open(), keys: { stored: async () => {} } },
    ...{ intake: intake as never, conditions, timers: world.timers },
  })
  return { world, lines, conditions, bad, following, rewinds: () => rewinds, sequence: () => sequence }
}
const fill = async (servers: MemoryServers, count: number): Promise<void> => {
  const log = servers.open()
  for (let n = 0; n < count; n++) await log.append(servers.records().length, Buffer.from(`${n}`))
}
/** More records than are handed over at once. */
const many = 350

t.test('it says so once, however often it reads the records before the bad one again', async t => {
  const servers = createMemoryServers()
  await fill(servers, many)
  const { world, lines, bad, following, rewinds, sequence } = given(servers)
  bad.from = many - 1
  for (let n = 0; n < 20; n++) await world.advance(1000)
  t.ok(rewinds() > 3)
  t.equal(lines.filter(line => line.startsWith(`record ${many - 1} of the shared log follows`)).length, 1)
  t.same(
    lines.filter(line => line.startsWith('over')),
    [],
  )
  bad.from = Number.POSITIVE_INFINITY
  for (let n = 0; n < 5; n++) await world.advance(1000)
  t.equal(sequence(), many)
  t.equal(lines.filter(line => /^over after \d+ s: record /.test(line)).length, 1, 'and once that it is over')
  await following.stop()
})

t.test('it is over when the stream was made again, and ends before that record', async t => {
  const servers = createMemoryServers()
  await fill(servers, many)
  const { world, conditions, bad, following, sequence } = given(servers)
  bad.from = many - 1
  for (let n = 0; n < 5; n++) await world.advance(1000)
  t.ok(conditions.has('log-damaged'))
  servers.loseBehind(0)
  await fill(servers, 10)
  for (let n = 0; n < 10; n++) await world.advance(1000)
  t.equal(sequence(), 10)
  t.same(conditions.all(), [])
  await following.stop()
})
