// What a node notes about itself each second: whether the servers answer, whether it reads on, and who could take over.
import tap, { type Test } from 'tap'
import { createConditions } from '../../src/cluster/conditions.ts'
import type { Standby } from '../../src/cluster/gateway/node-routes.ts'
import type { StreamsSeen } from '../../src/cluster/nats/watch-streams.ts'
import type { Role } from '../../src/node/roles.ts'
import { startWatch } from '../../src/node/watch.ts'
import { testWorld } from '../support/world.ts'

/** A node that is watched. The test says what it sees. */
const watched = (t: Test, role: Role) => {
  const world = testWorld()
  const lines: string[] = []
  const conditions = createConditions({ ...world, report: (_, text) => void lines.push(text) })
  const sees = {
    role,
    streams: { log: 'here', lease: 'here', end: 0, streams: [] } as StreamsSeen,
    isUnanswered: false,
    sequence: 0,
    standbys: [] as Standby[],
    hasNamesake: false,
    freeBytes: 2 ** 40,
  }
  const named: string[] = []
  const stop = startWatch({
    name: 'a',
    storage: { replica: { caughtUp: () => ({ sequence: sees.sequence, position: 0 }) } as never },
    lease: { isUnanswered: () => sees.isUnanswered },
    seen: () => sees.streams,
    self: { role: () => sees.role, hasNamesake: () => sees.hasNamesake },
    present: () => sees.standbys,
    neighbours: { namesake: name => void named.push(name) },
    freeBytes: () => sees.freeBytes,
    conditions,
    world,
  })
  t.teardown(stop)
  const codes = () => conditions.all().map(({ code }) => code)
  return { world, sees, conditions, lines, named, codes }
}
const standbyAt = (sequence: number): Standby => ({
  node: 'b',
  url: 'http://b',
  run: 'r',
  sequence,
  askedAt: 0,
})

tap.test(
  'a standby is not ready while the servers do not answer, with one line for each end of that',
  async t => {
    const { world, sees, conditions, lines, codes } = watched(t, 'standby')
    await world.advance(10_000)
    t.same(lines, [])
    sees.streams = { log: 'away', lease: 'here', end: undefined, streams: [] }
    await world.advance(4000)
    t.same(lines, [], 'a change of the leader takes some seconds')
    await world.advance(6000)
    t.same(codes(), ['servers-away'])
    t.notOk(conditions.areReady())
    t.notOk(conditions.areBarred(), 'it takes over when they answer again')
    await world.advance(60_000)
    sees.streams = { log: 'here', lease: 'here', end: 0, streams: [] }
    await world.advance(3000)
    t.match(lines, [
      /^most of the NATS servers that keep the stream REPRISE_SHARD_0 are away/,
      /^over after \d\d s/,
    ])
    t.ok(conditions.areReady())
  },
)

tap.test('a standby is not ready while no node could take the lease', async t => {
  const { world, sees, conditions, lines, codes } = watched(t, 'standby')
  for (const [lease, isUnanswered, words] of [
    ['missing', true, /have no stream REPRISE_LEASE_0, .*create it with reprise cluster init/],
    ['away', true, /^most of the NATS servers that keep the stream REPRISE_LEASE_0 are away/],
    ['here', true, /do not store beats in the stream REPRISE_LEASE_0/],
  ] as const) {
    Object.assign(sees, { isUnanswered, streams: { ...sees.streams, lease } })
    await world.advance(7000)
    t.same(codes(), ['lease-lost'])
    t.notOk(conditions.areReady())
    Object.assign(sees, { isUnanswered: false, streams: { ...sees.streams, lease: 'here' } })
    await world.advance(2000)
    t.match(lines.splice(0), [words, /^over after/])
  }
})

tap.test('a standby is not ready when it stays at one record while the log has more', async t => {
  const { world, sees, conditions, lines, codes } = watched(t, 'standby')
  sees.streams = { log: 'here', lease: 'here', end: 5, streams: [] }
  await world.advance(8000)
  t.same(lines, [], 'it may be about to read them')
  await world.advance(6000)
  t.same(codes(), ['not-following'])
  t.match(lines, [/^this standby has read 0 of 5 records of the shared log, and does not get on/])
  t.notOk(conditions.areReady())
  sees.sequence = 3
  await world.advance(2000)
  t.same(codes(), [], 'it gets on')
  sees.sequence = 5
  await world.advance(60_000)
  t.equal(lines.length, 2)
})

tap.test('a standby that stops on its way to the end of the log says so, too', async t => {
  const { world, sees, conditions, codes } = watched(t, 'standby')
  conditions.begin('catching-up', 'this node reads the shared log up to its end')
  sees.streams = { log: 'here', lease: 'here', end: 5, streams: [] }
  for (sees.sequence = 1; sees.sequence < 5; sees.sequence++) await world.advance(4000)
  t.same(codes(), ['catching-up'], 'it gets on')
  sees.sequence = 4
  await world.advance(12_000)
  t.same(codes(), ['catching-up', 'not-following'])
})

tap.test('a standby that cannot read on for a reason that is known says nothing more', async t => {
  const { world, sees, conditions, codes } = watched(t, 'standby')
  sees.streams = { log: 'here', lease: 'here', end: 5, streams: [] }
  conditions.begin('log-damaged', 'record 3 is missing')
  await world.advance(60_000)
  t.same(codes(), ['log-damaged'])
})

tap.test('an owner says when no other node could take over, and when the standby lacks much', async t => {
  const { world, sees, conditions, lines, codes } = watched(t, 'owner')
  sees.sequence = 5000
  await world.advance(9000)
  t.same(lines, [])
  await world.advance(3000)
  t.same(codes(), ['no-standby'])
  t.ok(conditions.areReady())
  sees.standbys = [standbyAt(0)]
  await world.advance(5000)
  t.match(lines, [/^no other node could take over from this one/, /^over after \d+ s: no other node/])
  await world.advance(7000)
  t.match(conditions.all(), [
    { code: 'standby-behind', text: /^the standby is behind \(b lacks 5000 records\)/ },
  ])
  sees.standbys = [standbyAt(4500)]
  await world.advance(2000)
  t.same(codes(), [])
  t.match(lines.at(-1), /^over after/)
  sees.standbys = []
  sees.role = 'standby'
  await world.advance(60_000)
  t.equal(lines.length, 4, 'a standby needs no standby')
})

tap.test('a process whose name has the lease as another process is told as a namesake', async t => {
  const { world, sees, named } = watched(t, 'standby')
  await world.advance(2000)
  t.same(named, [])
  sees.hasNamesake = true
  await world.advance(2000)
  t.same(named, ['a', 'a'])
})

tap.test('an owner names the NATS servers that are away or behind, and a stream that is gone', async t => {
  const { world, sees, conditions, lines, codes } = watched(t, 'owner')
  sees.standbys = [standbyAt(0)]
  const copies = [
    { server: 'n1', isCurrent: true, isAway: false, lag: 0 },
    { server: 'n2', isCurrent: false, isAway: true, lag: 0 },
    { server: 'n3', isCurrent: false, isAway: false, lag: 70 },
  ]
  const stream = { name: 'REPRISE_SHARD_0', leader: 'n1', copies, lastSequence: 5, bytes: 1 }
  sees.streams = { log: 'here', lease: 'here', end: 5, streams: [stream] }
  await world.advance(9000)
  t.same(lines, [], 'a copy that is only late catches up')
  await world.advance(5000)
  t.match(conditions.all(), [
    {
      code: 'server-behind',
      text: 'the NATS server n2 is away, and has a copy of REPRISE_SHARD_0; the NATS server n3 lacks 70 records of REPRISE_SHARD_0',
    },
  ])
  sees.streams = { log: 'missing', lease: 'here', end: undefined, streams: [] }
  await world.advance(2000)
  t.same(codes(), ['log-lost'])
  t.match(lines.at(-2), /^the NATS servers have no stream REPRISE_SHARD_0 any more\. .*init --again/)
  sees.streams = { log: 'here', lease: 'here', end: 5, streams: [] }
  await world.advance(2000)
  t.same(codes(), [])
  sees.role = 'standby'
  sees.streams = { log: 'missing', lease: 'here', end: undefined, streams: [stream] }
  await world.advance(60_000)
  t.same(codes(), [], 'a standby finds it out when it follows')
})

tap.test('a disk with hardly any room is full until there is more', async t => {
  const { world, sees, conditions, codes } = watched(t, 'standby')
  sees.freeBytes = 2 ** 20
  await world.advance(4000)
  t.same(codes(), ['disk-full'])
  t.ok(conditions.areBarred())
  sees.freeBytes = 2 ** 30
  await world.advance(1000)
  t.same(codes(), [])
})
