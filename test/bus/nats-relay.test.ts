// From the log to a real nats-server: everything once, in order, whatever is lost on the way.
import { jetstream, jetstreamManager } from '@nats-io/jetstream'
import { headers } from '@nats-io/transport-node'
import t from 'tap'
import { memoryStore } from '../../src/log/memory-store.ts'
import { pause, until } from '../support/http.ts'
import { natsServer, noNats, storedIn, wayTo } from '../support/nats.ts'
import { failingStore, storeOf } from '../support/system.ts'
import { randomOf } from '../support/world.ts'
import { chainOf, givenBus, wordsIn, wordsOf } from './nats-support.ts'

const covered = { name: 'REPRISE_EVENTS', subjects: ['reprise.events.>'] }
/** What was sent a moment ago is forgotten soon enough for a test. */
const briefly = { ...covered, duplicate_window: 100_000_000 }

t.test(
  'what was stored before NATS was there, and what comes then, is all in the stream, in order',
  { skip: noNats },
  async t => {
    const nats = await natsServer(t)
    const bus = await givenBus(t, nats.url)
    for (let n = 0; n < 30; n++) await bus.append(100)
    bus.start()
    await bus.append(7)
    await bus.caughtUp()
    await bus.append(1)
    await bus.append(1)
    await bus.caughtUp()
    const stored = await storedIn(await nats.client(t))
    t.same(wordsIn(stored), wordsOf(await bus.told()))
    t.ok(chainOf(stored), 'each names the one before it')
    const [first, second] = stored
    t.match(first?.subject, /^reprise\.events\.(anna|=Ym9iLmJ5|carl)\.(task|agent)\.\w+\.t0-1$/)
    t.match(second?.headers, {
      'Nats-Msg-Id': second?.headers['ce-id'],
      'Reprise-Prev': first?.headers['Nats-Msg-Id'],
      'ce-specversion': '1.0',
      'ce-type': JSON.parse(second?.body ?? '{}').type,
      'ce-source': 'log_one',
      'ce-time': JSON.parse(second?.body ?? '{}').timestamp,
      'ce-subject': 't0-1',
    })
    t.same(bus.messages(), ['NATS is connected'])
  },
)

t.test(
  'a relay that comes back after the de-duplication window stores nothing twice',
  { skip: noNats },
  async t => {
    const nats = await natsServer(t)
    const client = await nats.client(t)
    const manager = await jetstreamManager(client)
    const ours = {
      name: 'REPRISE_EVENTS',
      subjects: ['reprise.>'],
      duplicate_window: 100_000_000,
      max_age: 0,
    }
    await manager.streams.add(ours)
    const first = await givenBus(t, nats.url)
    first.start()
    for (let n = 0; n < 10; n++) await first.append(20)
    await first.caughtUp()
    await first.stop()
    await pause(150)
    const second = await givenBus(t, nats.url, { store: first.store })
    await second.append(5)
    second.start()
    await second.append(5)
    await second.caughtUp()
    const stored = await storedIn(client)
    t.same(wordsIn(stored), wordsOf(await second.told()))
    t.ok(chainOf(stored))
    const { config } = await manager.streams.info('REPRISE_EVENTS')
    t.match(config, ours, 'and the stream is as somebody made it')
  },
)

t.test(
  'a connection that is cut again and again while much is sent loses, doubles and reorders nothing',
  { skip: noNats },
  async t => {
    const nats = await natsServer(t)
    const way = await wayTo(t, nats.port)
    const bus = await givenBus(t, way.url)
    const random = randomOf(Number(process.env.SEED ?? 1))
    for (let n = 0; n < 40; n++) await bus.append(200)
    bus.start()
    for (let cuts = 0; cuts < 6; cuts++) {
      const before = bus.counts().published
      await until(() => bus.counts().published > before + random() * 400)
      way.cut()
      await bus.append(3)
    }
    await bus.caughtUp()
    t.ok(bus.counts().reconnects >= 5)
    const stored = await storedIn(await nats.client(t))
    t.same(wordsIn(stored), wordsOf(await bus.told()))
    t.ok(chainOf(stored))
  },
)

t.test(
  'what arrives long after its connection broke, and after it was sent again, is refused',
  { skip: noNats },
  async t => {
    const nats = await natsServer(t)
    const client = await nats.client(t)
    const manager = await jetstreamManager(client)
    await manager.streams.add(briefly)
    const way = await wayTo(t, nats.port)
    const bus = await givenBus(t, way.url)
    const follower = bus.follow()
    bus.start()
    await bus.append(5)
    await bus.caughtUp()
    const late = way.delay()
    await bus.append(10)
    await until(late.isUnderWay)
    late.cut()
    await bus.append(10)
    await until(() => bus.counts().reconnects === 1)
    await bus.caughtUp()
    await pause(150) // nobody remembers their ids
    let arrived = 0
    client.subscribe('reprise.events.>', { callback: () => void arrived++ })
    await client.flush()
    late.arrive()
    await until(() => arrived > 0)
    await bus.append(4)
    await bus.caughtUp()
    const words = wordsOf(await bus.told())
    t.same(wordsIn(await storedIn(client)), words)
    await until(() => follower.got.length >= words.length)
    t.same(follower.got, words)
  },
)

t.test('a stream that was cut short, purged or deleted is filled again', { skip: noNats }, async t => {
  const nats = await natsServer(t)
  const client = await nats.client(t)
  const manager = await jetstreamManager(client)
  await manager.streams.add(briefly)
  let bus = await givenBus(t, nats.url)
  bus.start()
  for (let n = 0; n < 5; n++) await bus.append(10)
  await bus.caughtUp()
  const whole = async (how: string) => {
    await bus.append(2)
    await until(
      () =>
        manager.streams.info('REPRISE_EVENTS').then(
          () => true,
          () => false,
        ),
      9000,
    )
    await bus.caughtUp()
    const stored = await storedIn(client)
    t.same(wordsIn(stored), wordsOf(await bus.told()), how)
    t.equal(bus.counts().foreign, 0, 'what comes again is ours')
    t.ok(chainOf(stored))
  }
  for (const how of ['cut short', 'purged']) {
    await bus.stop()
    await pause(150)
    const { state } = await manager.streams.info('REPRISE_EVENTS')
    const last = state.last_seq
    if (how === 'purged') await manager.streams.purge('REPRISE_EVENTS')
    else
      for (const sequence of [last, last - 1, last - 3])
        await manager.streams.deleteMessage('REPRISE_EVENTS', sequence)
    bus = await givenBus(t, nats.url, { store: bus.store })
    bus.start()
    if (how === 'purged') await whole(how)
    else {
      await bus.append(2)
      await bus.caughtUp()
      const all = wordsOf(await bus.told())
      t.same(
        wordsIn(await storedIn(client)),
        all.filter((_, n) => n !== last - 4),
        'from its newest message on',
      )
    }
  }
  // Under a relay that works, and must find out.
  await manager.streams.delete('REPRISE_EVENTS')
  await whole('deleted')
  const { config } = await manager.streams.info('REPRISE_EVENTS')
  t.match(config, {
    ...covered,
    storage: 'file',
    retention: 'limits',
    max_age: 0,
    max_msgs: -1,
    max_bytes: -1,
  })
})

t.test('a stream that lets its messages go is not filled with what it had', { skip: noNats }, async t => {
  const nats = await natsServer(t)
  const client = await nats.client(t)
  const manager = await jetstreamManager(client)
  await manager.streams.add({ ...briefly, max_age: 200_000_000 })
  const first = await givenBus(t, nats.url)
  first.start()
  await first.append(20)
  await first.caughtUp()
  await first.stop()
  await until(async () => (await manager.streams.info('REPRISE_EVENTS')).state.messages === 0)
  const second = await givenBus(t, nats.url, { store: first.store, folder: first.folder })
  const { state } = await manager.streams.info('REPRISE_EVENTS')
  second.start()
  await second.append(4)
  await second.caughtUp()
  const after = await manager.streams.info('REPRISE_EVENTS')
  t.equal(after.state.last_seq - state.last_seq, 3, 'only what is new')
})

t.test('a stream that is not that of this log is left alone, with one line', { skip: noNats }, async t => {
  const nats = await natsServer(t)
  const client = await nats.client(t)
  const manager = await jetstreamManager(client)
  const refused = async (why: RegExp, wish: Parameters<typeof givenBus>[2] = {}) => {
    const { state } = await manager.streams.info('REPRISE_EVENTS')
    const bus = await givenBus(t, nats.url, wish)
    const follower = bus.follow()
    bus.start()
    await until(() => bus.counts().stopped)
    await bus.append(5)
    const words = wordsOf(await bus.told())
    await until(() => follower.got.length >= words.length)
    t.same(follower.got, words, 'who follows here hears it all from the log')
    t.match(bus.messages().slice(1), [why])
    t.equal(bus.lines.at(-1)?.level, 'error')
    t.same((await manager.streams.info('REPRISE_EVENTS')).state, state)
    await bus.stop()
    return bus
  }
  await manager.streams.add({ name: 'REPRISE_EVENTS', subjects: ['reprise.events.anna.>'] })
  await refused(/REPRISE_EVENTS does not take reprise\.events\.>/)
  await manager.streams.delete('REPRISE_EVENTS')

  const bus = await givenBus(t, nats.url)
  await bus.append(5)
  const early = bus.store.page(0, 100)
  bus.start()
  await bus.append(20)
  await bus.caughtUp()
  await bus.stop()
  await refused(/ends with an event of another log/, { id: 'log_two' })
  const older = await storeOf(early)
  await refused(/is ahead of this log, which may have been restored/, {
    store: { ...older, logId: () => 'log_one' },
  })
  const other = await givenBus(t, nats.url)
  for (let n = 0; n < 9; n++) await other.append(5)
  await refused(/ends with an event that is different in this log/, { store: other.store })

  const foreign = headers()
  foreign.set('Nats-Msg-Id', '700')
  const { seq } = await jetstream(client).publish('reprise.events.anna.task.TaskCreated.x', '{}', {
    headers: foreign,
  })
  await refused(/ends with a message that is not ours/, { store: bus.store })
  // Whoever takes it out lets the relay go on.
  await manager.streams.deleteMessage('REPRISE_EVENTS', seq)
  const next = await givenBus(t, nats.url, { store: bus.store })
  next.start()
  await next.append(3)
  await next.caughtUp()
  t.same(wordsIn(await storedIn(client)), wordsOf(await next.told()))
})

t.test(
  'a foreign message that comes while the relay works stops it, too, and nothing behind it is missed',
  { skip: noNats },
  async t => {
    const nats = await natsServer(t)
    const client = await nats.client(t)
    const bus = await givenBus(t, nats.url)
    bus.start()
    await bus.append(5)
    await bus.caughtUp()
    const { seq } = await jetstream(client).publish('reprise.events.anna.task.TaskCreated.x', '{}')
    await bus.append(8)
    await until(() => bus.counts().stopped)
    t.match(bus.messages().at(-1), /ends with a message that is not ours/)
    const manager = await jetstreamManager(client)
    await manager.streams.deleteMessage('REPRISE_EVENTS', seq)
    await bus.stop()
    const next = await givenBus(t, nats.url, { store: bus.store })
    next.start()
    await next.caughtUp()
    t.same(wordsIn(await storedIn(client)), wordsOf(await next.told()))
  },
)

t.test(
  'an event that is too long for NATS leaves a hole that can be seen, and nothing behind it waits',
  { skip: noNats },
  async t => {
    const nats = await natsServer(t)
    const client = await nats.client(t)
    const bus = await givenBus(t, nats.url)
    const follower = bus.follow()
    bus.start()
    await bus.append(5)
    const long = { agent_id: 'a', error: 'no '.repeat(400_000) }
    await bus.append(5, [{ type: 'AgentError', schema_version: 1, data: long, seq: 9, frames: 0 }])
    await bus.append(5)
    await bus.caughtUp()
    const told = await bus.told()
    await until(() => follower.got.length === told.length)
    t.same(follower.got, wordsOf(told), 'who follows here hears it')
    const stored = await storedIn(client)
    const at = told.findIndex(({ event }) => event.type === 'AgentError')
    t.same(wordsIn(stored), wordsOf(told.filter((_, n) => n !== at)))
    t.equal(stored[at]?.headers['Reprise-Prev'], String(told[at]?.position))
    t.match(bus.messages(), ['NATS is connected', /too long for NATS/])
    t.equal(bus.counts().tooLong, 1)
  },
)

t.test(
  'an event that would be too long with what the relay adds to it holds nothing up',
  { skip: noNats },
  async t => {
    const nats = await natsServer(t)
    const client = await nats.client(t)
    const bus = await givenBus(t, nats.url)
    bus.start()
    for (let missing = 0; missing < 600; missing += 40) {
      const error = 'x'.repeat(1024 * 1024 - missing)
      await bus.append(0, [
        { type: 'AgentError', schema_version: 1, data: { agent_id: 'a', error }, seq: 9, frames: 0 },
      ])
    }
    await bus.append(5)
    await bus.caughtUp()
    const [stored, told] = [await storedIn(client), await bus.told()]
    t.equal(stored.length + bus.counts().tooLong, told.length)
    t.ok(bus.counts().tooLong > 0 && bus.counts().tooLong < 15)
    t.notMatch(bus.messages(), ['NATS is connected', /do not reach/])
  },
)

t.test('without JetStream it goes on from its checkpoint', { skip: noNats }, async t => {
  const nats = await natsServer(t, { jetStream: false })
  const client = await nats.client(t)
  const heard: string[] = []
  client.subscribe('reprise.events.>', {
    callback: (_, message) => void heard.push(`${message.headers?.get('Nats-Msg-Id')} ${message.string()}`),
  })
  await client.flush()
  const first = await givenBus(t, nats.url)
  await first.append(50)
  first.start()
  for (let n = 0; n < 20; n++) await first.append(50)
  await first.caughtUp()
  await first.stop()
  const half = heard.length
  const second = await givenBus(t, nats.url, { store: first.store, folder: first.folder })
  await second.append(50)
  second.start()
  await second.caughtUp()
  await nats.kill()
  await second.append(50)
  await nats.start()
  await until(() => second.counts().reconnects === 1)
  await second.caughtUp()
  await until(() =>
    client.flush().then(
      () => true,
      () => false,
    ),
  )
  await second.append(4)
  const words = wordsOf(await second.told())
  await until(() => heard.at(-1) === words.at(-1))
  t.ok(half > 700)
  const once = [...new Set(heard)]
  t.same(
    once,
    words.filter(word => once.includes(word)),
    'in order, nothing twice',
  )
  t.same(heard, once)
  // The test's own client may have come back later than the relay.
  t.ok(heard.length >= words.length - 40)
})

t.test('a damaged event stops the relay before it, with one line', { skip: noNats }, async t => {
  const nats = await natsServer(t)
  const inner = memoryStore()
  const store = {
    ...inner,
    logId: () => 'log_one',
    page: (after: number, limit: number) =>
      inner
        .page(after, limit)
        .map(row => (row.position === 1500 ? { ...row, payload: '{"by":"nobody"}' } : row)),
  }
  const earlier = await givenBus(t, nats.url, { store })
  for (let n = 0; n < 200; n++) await earlier.append(10)
  const bus = await givenBus(t, nats.url, { store })
  bus.start()
  await until(() => bus.counts().stopped)
  t.match(bus.messages().slice(1), [/^NATS gets no events until this is solved: the event at position 1500 /])
  const client = await nats.client(t)
  const sent = async () => (await storedIn(client)).map(({ headers }) => Number(headers['Nats-Msg-Id']))
  await until(async () => (await sent()).length > 700) // NATS may not have all of them yet
  const ids = await sent()
  t.ok(Math.max(...ids) < 1500, 'none of them comes after the damaged one')
})

t.test('what a failed write had stored all the same is sent and told once', { skip: noNats }, async t => {
  const nats = await natsServer(t)
  const failing = failingStore({ ...memoryStore(), logId: () => 'log_one' })
  const bus = await givenBus(t, nats.url, { store: failing.store })
  const follower = bus.follow()
  bus.start()
  await bus.append(5)
  await bus.caughtUp()
  for (const how of ['kept', 'lost', 'kept'] as const) {
    await bus.append(5)
    failing.failNext(how)
    await t.rejects(bus.append(5))
    await bus.append(5)
  }
  await bus.append(4)
  await bus.caughtUp()
  const words = wordsOf(await bus.told())
  await until(() => follower.got.length >= words.length)
  t.same(follower.got, words)
  t.same(wordsIn(await storedIn(await nats.client(t))), words)
})
