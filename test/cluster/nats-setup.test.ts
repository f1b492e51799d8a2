// The streams of a shard are created, judged and shown.
import { jetstreamManager } from '@nats-io/jetstream'
import t from 'tap'
import type { NatsSettings } from '../../src/bus/nats/nats-settings.ts'
import { haveTold, judgementsOf, unsafetyOf } from '../../src/cluster/nats/judgements.ts'
import type { CopyState } from '../../src/cluster/nats/monitors.ts'
import { openServers } from '../../src/cluster/nats/setup.ts'
import { withoutLeader } from '../../src/cluster/nats/states.ts'
import { Unknown } from '../../src/cluster/shared-log.ts'
import { CannotStart } from '../../src/contract/cannot-start.ts'
import { natsServer, noNats } from '../support/nats.ts'
import { natsCluster, until } from '../support/nats-cluster.ts'

const settingsOf = (port: number): NatsSettings => ({
  servers: [`127.0.0.1:${port}`],
  login: { by: 'nothing' },
  tls: undefined,
  shown: `nats://127.0.0.1:${port}`,
})
const names = ['REPRISE_SHARD_0', 'REPRISE_LEASE_0']
const refusal = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    error => (error instanceof CannotStart ? error.message : error),
  )

t.test('a single server gets streams with one copy, and a warning', { skip: noNats }, async t => {
  const { port } = await natsServer(t)
  const servers = await openServers(settingsOf(port))
  t.teardown(() => servers.close())
  t.same(await servers.setUp(0), names)
  t.match(await servers.states(0), [
    { name: names[0], leader: /./, copies: [{ isCurrent: true, isAway: false, lag: 0 }], bytes: 0 },
    { name: names[1] },
  ])
  const texts = (await servers.judge(0)).map(({ text }) => text)
  t.match(texts, [
    /version|sync_interval/,
    /is one NATS server/,
    /SHARD_0 has 1 of 3 copies/,
    /LEASE_0 has 1 of 3/,
  ])
})

t.test('a stream with other settings is refused, with what differs', { skip: noNats }, async t => {
  const server = await natsServer(t)
  const manager = await jetstreamManager(await server.client(t))
  await manager.streams.add({ name: 'REPRISE_LEASE_0', subjects: ['reprise-cluster.>'], max_msgs: 7 })
  const servers = await openServers(settingsOf(server.port))
  t.teardown(() => servers.close())
  await manager.streams.update('REPRISE_LEASE_0', { subjects: ['elsewhere'] })
  t.match(
    await refusal(servers.setUp(0)),
    /REPRISE_LEASE_0 exists with other settings: subjects is \["elsewhere"\], not \["reprise-cluster.lease.0"\], max_msgs is 7, not 100;/,
  )
})

t.test('servers without JetStream, and servers that are away, are refused', { skip: noNats }, async t => {
  const without = await natsServer(t, { jetStream: false })
  t.match(await refusal(openServers(settingsOf(without.port))), /have no JetStream for this user: configure/)
  await without.kill()
  t.match(await refusal(openServers(settingsOf(without.port))), /no server at nats:.* is reached/)
})

t.test(
  'streams without a majority of their servers are neither made nor deleted',
  { skip: noNats },
  async t => {
    const nats = await natsCluster(t)
    const { settings } = await nats.client([0])
    const servers = await openServers(settings)
    t.teardown(() => servers.close())
    await until('the streams', () => servers.setUp(0))
    await Promise.all([nats.kill(1), nats.kill(2)])
    const unanswered = (promise: Promise<unknown>) =>
      promise.then(
        () => 'done',
        error => (error instanceof Unknown ? error.message : error),
      )
    const words = /^most of them are away, or a stream has no leader$/
    t.match(await unanswered(servers.deleteLog(0)), words)
    t.match(await unanswered(servers.setUp(0)), words)
  },
)

t.test('new servers are told to write each record at once', async t => {
  t.match(judgementsOf({ version: '2.12.0', count: 3 }, []), [
    { level: 'info', text: /^Set "sync_interval: always"/ },
  ])
  t.match(judgementsOf({ version: '2.9.10', count: 2 }, []), [
    { level: 'warn', text: /version 2\.9\.10/ },
    { level: 'warn', text: /are 2 NATS servers/ },
  ])
})

t.test('servers that may lose confirmed records are named, with what to do', async t => {
  const told = (server: string, more: Partial<CopyState> = {}): CopyState => ({
    ...{ url: `http://${server}`, server, version: '2.12.1', syncAlways: true, disk: { used: 0, most: 0 } },
    ...{
      hasCopy: true,
      isLeader: false,
      copies: 3,
      messages: 0,
      first: 0,
      last: 0,
      deleted: 0,
      bytes: 0,
      lag: 0,
    },
    ...more,
  })
  const away = { url: 'http://c', error: 'ECONNREFUSED' }
  t.equal(unsafetyOf([told('a'), told('b'), told('c')]), undefined)
  t.equal(unsafetyOf([told('a'), told('b'), away]), undefined)
  t.match(unsafetyOf([told('a'), told('b', { syncAlways: false }), away]), /set "sync_interval.*" of b$/)
  t.match(
    unsafetyOf([told('a', { version: '2.9.10', syncAlways: undefined }), told('b', { syncAlways: false })]),
    /use version 2\.12 or later on a \(now 2\.9\.10\); set .* of b; name all 3 servers .* names 2$/,
  )
  t.match(
    unsafetyOf([told('a'), told('a'), told('a')]),
    /name all 3 servers in NATS_MONITOR_URLS, which names 1$/,
  )
  t.ok(haveTold([told('a'), told('b'), away]))
  t.notOk(haveTold([told('a'), away, away]))
})

t.test('a copy that is away and a stream without a leader are named', async t => {
  const copies = ['a', 'b', 'c'].map(server => ({ server, isCurrent: true, isAway: server === 'b', lag: 0 }))
  const state = { name: 'REPRISE_SHARD_0', leader: 'a', copies, lastSequence: 1, bytes: 1 }
  const [, ...others] = judgementsOf({ version: '2.12.1', count: 3 }, [
    state,
    withoutLeader('REPRISE_LEASE_0'),
  ])
  t.match(others, [
    { text: /REPRISE_SHARD_0 has a copy on b, away now/ },
    { text: /REPRISE_LEASE_0 has no leader now/ },
  ])
})
