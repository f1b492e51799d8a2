// The stream of events takes nothing, while NATS itself answers: the operator is told what to do, and it helps.
import { jetstreamManager, StorageType } from '@nats-io/jetstream'
import t from 'tap'
import { createRelayReports } from '../../src/bus/nats/relay-reports.ts'
import { storedIn } from '../support/nats.ts'
import { type NatsCluster, natsCluster, noNats, type Place, until } from '../support/nats-cluster.ts'
import { givenBus, wordsIn, wordsOf } from './nats-support.ts'

/** How many times faster than a real one the clock of the relay's reports goes. */
const hurry = 20
const name = 'REPRISE_EVENTS'

/** Makes the stream, with one copy. Resolves to the server that has it. */
const makeStream = async (nats: NatsCluster): Promise<Place> => {
  const connection = await nats.connected(0, 'events')
  const { streams } = await jetstreamManager(connection)
  const wish = { name, subjects: ['reprise.events.>'], storage: StorageType.File, num_replicas: 1 }
  const { cluster } = await until('the stream', () => streams.add(wish))
  await connection.close()
  return Number(cluster?.leader?.replace('nats-', ''))
}

t.test(
  'an operator is told after a minute what to do with a stream that takes no event, and loses nothing by it',
  { skip: noNats },
  async t => {
    const nats = await natsCluster(t)
    const home = await makeStream(nats)
    const others = [0, 1, 2].filter(place => place !== home)
    const connection = await nats.connected(others[0], 'events')
    t.teardown(() => connection.close())
    const { settings } = await nats.client(others, 'events')
    const url = settings.servers.map(server => `nats://${server}`).join()
    const bus = await givenBus(t, url, {
      env: { NATS_USER: 'events', NATS_PASSWORD: 'only-for-tests' },
      now: () => performance.now() * hurry,
    })
    const follower = bus.follow()
    bus.start()
    await bus.append(10)
    await bus.caughtUp()
    await nats.stop(home)
    await bus.append(10)
    await until('the end of the minute', () => bus.counts().stopped)
    const said = bus.lines.filter(({ level }) => level === 'error')
    t.equal(said.length, 1)
    t.match(
      said[0]?.message,
      /has taken no event for a minute, although NATS answers.*nats stream rm REPRISE_EVENTS/,
    )
    await until('all events', async () => follower.got.length === (await bus.told()).length)
    t.same(follower.got, wordsOf(await bus.told()), 'subscribers of the server get their events all the same')

    // The server that has the stream should answer, and is away. The stream is gone all the same.
    await (await jetstreamManager(connection)).streams.delete(name).catch(() => {})
    await bus.caughtUp()
    t.equal(bus.counts().stopped, false)
    t.equal(bus.messages().at(-1), 'events reach NATS again')
    t.same(wordsIn(await storedIn(connection)), wordsOf(await bus.told()), 'it is filled from the log')
    t.equal(bus.lines.filter(({ level }) => level === 'error').length, 1, 'and the problem was told once')
  },
)

/** The reports of a relay, with a clock that the test moves, and what they said. */
const given = () => {
  let now = 0
  const lines: string[] = []
  const reports = createRelayReports(
    (level, message) => lines.push(`${level}: ${message.slice(0, 40)}`),
    () => now,
  )
  const pass = (ms: number) => {
    now += ms
  }
  return { reports, lines, pass }
}

t.test('messages that are refused for a moment are not told, however often', async t => {
  const { reports, lines, pass } = given()
  for (let n = 0; n < 100; n++) {
    reports.failed('duplicate message id is in process')
    pass(100)
    reports.reached()
  }
  t.same(lines, [])
  reports.failed('timeout')
  pass(1000)
  reports.failed('timeout')
  reports.reached()
  t.equal(lines.length, 2, 'what lasts a second is, and its end')
})

t.test('NATS that is away has not been silent', async t => {
  const { reports, lines, pass } = given()
  for (const _ of [1, 2]) {
    reports.connected()
    reports.failed('timeout')
    pass(59_000)
    reports.failed('timeout')
  }
  t.equal(reports.isStuck(), false)
  t.equal(lines.length, 1)
})

t.test('a silent stream stays a problem until it takes events, whatever its servers answer', async t => {
  const { reports, lines, pass } = given()
  reports.failed('timeout')
  pass(60_000)
  reports.failed('timeout')
  reports.opened()
  t.equal(reports.isStuck(), true)
  reports.failed('NATS has acknowledged nothing')
  reports.failed('timeout')
  t.equal(lines.length, 1, 'it is told once')
  reports.reached()
  t.equal(reports.isStuck(), false)
  t.equal(lines.at(-1), 'warn: events reach NATS again')
})

t.test('a stream of another log is no problem any more once a stream fits', async t => {
  const { reports, lines } = given()
  reports.stopped('the stream ends with an event of another log')
  t.equal(reports.isStuck(), true)
  reports.opened()
  t.equal(reports.isStuck(), false)
  reports.reached()
  t.equal(lines.length, 2)
})
