// Records of reads while the log fails: the read goes on, and what is lost is counted.
import t from 'tap'
import { createReads } from '../../src/access/reads.ts'
import { type NewEvent, type Recorded, StorageFailure } from '../../src/contract/stored.ts'
import { settle, testWorld } from '../support/world.ts'

const given = () => {
  const world = testWorld()
  const stored: NewEvent[] = []
  const reported: string[] = []
  const disk = { fails: false }
  const reads = createReads({
    log: {
      opened: async () => {},
      revisionOf: () => stored.length - 1,
      async append([one]): Promise<Recorded[]> {
        if (disk.fails) throw new StorageFailure('the disk is full')
        stored.push(...(one?.events ?? []))
        return []
      },
    },
    clock: world.clock,
    timers: world.timers,
    report: (_level, message) => void reported.push(message),
  })
  const pass = async (ms: number) => {
    await world.advance(ms)
    await settle()
  }
  return { reads, stored, reported, disk, pass }
}
const reader = { id: 'tok_1' }

t.test('reads of two seconds are one event for each token and route', async t => {
  const { reads, stored, pass } = given()
  reads.begin(reader, 'GET /a')('one')
  const shows = reads.begin(reader, 'GET /a')
  for (const id of ['one', 'two']) shows(id)
  reads.begin({ id: 'tok_2' }, 'GET /a')
  await pass(1900)
  t.same(stored, [])
  await pass(200)
  t.same(
    stored.map(({ type, data }) => ({ type, data })),
    [
      { type: 'ReadAccess', data: { principal: 'tok_1', route: 'GET /a', ids: ['one', 'two'], count: 2 } },
      { type: 'ReadAccess', data: { principal: 'tok_2', route: 'GET /a', ids: [], count: 1 } },
    ],
  )
  shows('three')
  await pass(2100)
  t.same(stored.at(-1)?.data, { principal: 'tok_1', route: 'GET /a', ids: ['three'], count: 0 })
})

t.test('an event has at most five hundred ids', async t => {
  const { reads, stored, pass } = given()
  const shows = reads.begin(reader, 'GET /a')
  for (let n = 0; n < 1200; n++) shows(`task-${n}`)
  await pass(2100)
  t.same(
    stored.map(({ data }) => (data as { ids: string[] }).ids.length),
    [500, 500, 200],
  )
  t.same(
    stored.map(({ data }) => (data as { count: number }).count),
    [1, 0, 0],
  )
})

t.test('while the log fails, reads go on and are kept', async t => {
  const { reads, stored, reported, disk, pass } = given()
  disk.fails = true
  reads.begin(reader, 'GET /a')('one')
  await pass(2100)
  reads.begin(reader, 'GET /a')('two')
  await pass(2100)
  t.same(reported, ['reads of tasks could not be recorded; the server keeps them and tries again'])
  disk.fails = false
  await pass(2100)
  t.same(
    stored.flatMap(({ data }) => (data as { ids: string[] }).ids),
    ['one', 'two'],
  )
  t.equal(reported.at(-1), 'reads of tasks are recorded again')
})

t.test('what is more than is kept is counted as lost', async t => {
  const { reads, stored, reported, disk, pass } = given()
  disk.fails = true
  const shows = reads.begin(reader, 'GET /a')
  for (let n = 0; n < 100_000; n++) shows(`${n}`.padStart(256))
  await pass(2100)
  t.ok(reported.includes('reads of tasks are lost, since they cannot be recorded'))
  disk.fails = false
  await pass(2100)
  const last = stored.at(-1)
  t.equal(last?.type, 'ReadAccessLost')
  const ids = stored.flatMap(({ type, data }) =>
    type === 'ReadAccess' ? (data as { ids: string[] }).ids : [],
  )
  t.same(last?.data, { count: 100_000 - ids.length })
  t.ok(ids.length < 40_000, 'memory is limited')
})

t.test('a stop stores at once', async t => {
  const { reads, stored } = given()
  reads.begin(reader, 'GET /a')('one')
  await reads.stop()
  t.equal(stored.length, 1)
})
