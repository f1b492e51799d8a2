// A shared log on JetStream whose server is away, late, or has lost records.
import { jetstreamManager } from '@nats-io/jetstream'
import t, { type Test } from 'tap'
import { openSharedLog, type SharedLogDeps } from '../../src/cluster/nats/shared-log.ts'
import { LostTail, type SharedRecord, Unknown } from '../../src/cluster/shared-log.ts'
import { CannotStart } from '../../src/contract/cannot-start.ts'
import { realWorld } from '../../src/platform/world.ts'
import { type NatsServer, natsServer, wayTo } from '../support/nats.ts'
import { until } from '../support/nats-cluster.ts'
import { testedLines } from '../support/nats-programs.ts'

t.jobs = 12 // they mostly wait

const bytesOf = (text: string) => new TextEncoder().encode(text)
const failure = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    error => error,
  )
const addStream = async (t: Test, server: NatsServer, name: string) => {
  const manager = await jetstreamManager(await server.client(t, { reconnect: false }))
  await manager.streams.add({ name, subjects: [name] })
  return manager
}
const open = async (t: Test, url: string, name: string, more: Partial<SharedLogDeps> = {}) => {
  const settings = {
    servers: [url.replace('nats://', '')],
    login: { by: 'nothing' as const },
    tls: undefined,
    shown: url,
  }
  const log = await openSharedLog({
    settings,
    name,
    subject: name,
    timers: realWorld().timers,
    report: () => {},
    ...more,
  })
  t.teardown(() => log.close())
  return log
}
/** Follows a log. `failed` resolves with the error that ends it. */
const followed = (log: Awaited<ReturnType<typeof open>>, after = 0) => {
  const seen: SharedRecord[] = []
  const failed = new Promise<unknown>(resolve => {
    log.follow(after, records => void seen.push(...records), resolve)
  })
  return { seen, failed }
}

// The timers of the log do not keep the process alive while a server is away.
const alive = setInterval(() => {}, 1000)
t.teardown(() => clearInterval(alive))

for (const { line, on, skip } of testedLines()) {
  t.test(`a record that arrives too late is not stored behind another one${on}`, { skip }, async t => {
    const server = await natsServer(t, { line })
    await addStream(t, server, 'LATE')
    const way = await wayTo(t, server.port)
    const log = await open(t, way.url, 'LATE', { appendMs: 1000 })
    await log.append(0, bytesOf('first'))
    const delayed = way.delay()
    t.ok((await failure(log.append(1, bytesOf('late')))) instanceof Unknown)
    t.ok(delayed.isUnderWay())
    await log.append(1, bytesOf('second'))
    delayed.arrive()
    await log.append(2, bytesOf('third'))
    const texts = (await log.read(0, 10)).map(({ bytes }) => new TextDecoder().decode(bytes))
    t.same(texts, ['first', 'second', 'third'])
  })

  t.test(
    `without an answer, an append is unknown, and those behind it are not sent${on}`,
    { skip },
    async t => {
      const server = await natsServer(t, { line })
      await addStream(t, server, 'AWAY')
      const log = await open(t, server.url, 'AWAY', { appendMs: 300 })
      await server.kill()
      const results = await Promise.all([0, 1].map(expected => failure(log.append(expected, bytesOf('x')))))
      for (const error of results) t.ok(error instanceof Unknown)
      await server.start()
      await until('the log', async () => (await log.tail()) === 0)
      await log.append(0, bytesOf('back'))
    },
  )

  t.test(`a follower goes on when the server is back${on}`, { skip }, async t => {
    const server = await natsServer(t, { line })
    await addStream(t, server, 'BACK')
    const log = await open(t, server.url, 'BACK')
    await log.append(0, bytesOf('one'))
    const follower = followed(log)
    await until('the first record', () => follower.seen.length === 1)
    await server.kill()
    await server.start()
    await log.append(1, bytesOf('two'))
    await until('the second record', () => follower.seen.length === 2)
    t.same(
      follower.seen.map(({ sequence }) => sequence),
      [1, 2],
    )
  })

  t.test(`a follower notices that records are lost, or are others now${on}`, { skip }, async t => {
    const server = await natsServer(t, { line })
    const lives = { LOST: 2, OTHER: 6 }
    const names = Object.keys(lives) as (keyof typeof lives)[]
    for (const name of names) await addStream(t, server, name)
    const logs = await Promise.all(names.map(name => open(t, server.url, name)))
    for (const log of logs) for (let n = 0; n < 4; n++) await log.append(n, bytesOf(`before ${n}`))
    const followers = logs.map(log => followed(log))
    await until('all records', () => followers.every(({ seen }) => seen.length === 4))
    await server.kill()
    await server.start({ empty: true })
    for (const name of names) await addStream(t, server, name)
    for (const [i, log] of logs.entries())
      for (let n = 0; n < lives[names[i] ?? 'LOST']; n++) await log.append(n, bytesOf(`after ${n}`))
    const [lost, other] = await Promise.all(followers.map(({ failed }) => failed))
    t.ok(lost instanceof LostTail && other instanceof LostTail)
    t.match(
      [lost, other],
      [
        { ours: 4, theirs: 2 },
        { ours: 4, theirs: 6 },
      ],
    )
    for (const { seen } of followers) t.equal(seen.length, 4)
  })

  t.test(`a follower says that somebody has deleted a record, and which${on}`, { skip }, async t => {
    const server = await natsServer(t, { line })
    const manager = await addStream(t, server, 'HOLE')
    const log = await open(t, server.url, 'HOLE')
    for (let n = 0; n < 3; n++) await log.append(n, bytesOf('x'))
    await manager.streams.deleteMessage('HOLE', 2)
    t.match(await followed(log).failed, {
      message: /^record 2 of the shared log is missing on \w+$/,
    })
  })

  t.test(`a log without its stream does not open, and says what to do${on}`, { skip }, async t => {
    const server = await natsServer(t, { line })
    const error = await failure(open(t, server.url, 'NONE'))
    t.ok(error instanceof CannotStart)
    t.match(error, {
      message: /have no stream NONE\. If a node .* has a log .*"reprise cluster init --data DATA_DIR"/,
    })
    await server.kill()
    t.ok((await failure(open(t, server.url, 'NONE', { waitMs: 200 }))) instanceof Unknown)
  })
}
