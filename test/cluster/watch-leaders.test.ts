// When a node says that a stream has no leader although all NATS servers run: judged by what servers say at their monitors.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import { createConditions } from '../../src/cluster/conditions.ts'
import { unledStreams, wordsOfUnled } from '../../src/cluster/nats/unled.ts'
import { watchLeaders } from '../../src/cluster/watch-leaders.ts'
import { testWorld } from '../support/world.ts'
import { until } from './support.ts'

type Said = {
  /** The names of the servers to which it has a way, and for how long nothing has come over it. */
  routes: Record<string, string>
  /** By stream: the leader that it knows. */
  copies: Record<string, string | undefined>
}
const names = ['n1', 'n2', 'n3']
const [shard, lease] = ['REPRISE_SHARD_0', 'REPRISE_LEASE_0'] as const
const ways = (name: string): Record<string, string> =>
  Object.fromEntries(names.filter(other => other !== name).map(other => [other, '0s']))

/** Three servers, as one sees them at their monitors. n1 has the only copies, and nobody leads them. */
const serversHere = async (t: Test) => {
  const says = new Map<string, Said>(names.map(name => [name, { routes: ways(name), copies: {} }]))
  const said = (name: string) => says.get(name) as Said
  said('n1').copies = { [shard]: undefined, [lease]: undefined }
  let asked = 0
  const urls: string[] = []
  for (const name of names) {
    const server = createServer(({ url = '' }, response) => {
      asked++
      const { routes, copies } = said(name)
      const stream_detail = Object.entries(copies).map(([stream, leader]) => ({
        name: stream,
        config: { num_replicas: 3 },
        cluster: { ...(leader && { leader }), replicas: names.map(one => ({ name: one })) },
      }))
      const answer = url.startsWith('/routez')
        ? { routes: Object.entries(routes).map(([remote_name, idle]) => ({ remote_name, idle })) }
        : { account_details: [{ stream_detail }] }
      response.end(JSON.stringify({ server_name: name, ...answer }))
    })
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    t.teardown(() => {
      server.closeAllConnections()
      server.close()
    })
    urls.push(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  }
  return { urls, said, asked: () => asked }
}

t.test('a stream has no leader, and most servers have no copy of it', async t => {
  const { urls, said } = await serversHere(t)
  const unled = { kept: ['n1'], lacking: ['n2', 'n3'], isLost: true }
  const look = () => unledStreams(urls, [shard, lease])
  t.same(await look(), [
    { stream: shard, ...unled },
    { stream: lease, ...unled },
  ])
  said('n1').copies[lease] = 'n1'
  t.same(await look(), [{ stream: shard, ...unled }], 'a leader names itself')
  for (const name of names) said(name).copies = { [shard]: undefined }
  const all = await look()
  t.same(all, [{ stream: shard, kept: names, lacking: [], isLost: false }], 'a leader may still be chosen')
  t.match(
    wordsOfUnled(all ?? []),
    /and n1 and n2 and n3 have copies of it\. Look whether their machines are overloaded, .* If that does not help, empty them\./,
  )
  for (const name of names) said(name).copies = {}
  t.same(await look(), [], 'a stream of which nobody has a copy does not exist')
})

t.test('nothing is said while servers are away, or do not reach each other', async t => {
  const { urls, said } = await serversHere(t)
  const look = (of = urls) => unledStreams(of, [shard])
  said('n2').routes = { n1: '0s' }
  t.equal(await look(), undefined)
  said('n2').routes = { n1: '0s', n3: '1m0s' }
  t.equal(await look(), undefined, 'a way over which nothing comes')
  said('n2').routes = ways('n2')
  t.match(await look(), [{ stream: shard }])
  t.equal(await look([...urls, 'http://127.0.0.1:1']), undefined)
  t.equal(await look(urls.slice(0, 1)), undefined, 'one server cannot tell')
  t.equal(await look([]), undefined)
})

t.test('a node says so when it lasts, in place of what it causes, and says when it is over', async t => {
  const { urls, said, asked } = await serversHere(t)
  const world = testWorld()
  const lines: string[] = []
  const conditions = createConditions({ ...world, report: (_, text) => void lines.push(text) })
  let seen: 'here' | 'away' = 'here'
  const settings = { monitorUrls: urls }
  t.teardown(
    watchLeaders({ settings, seen: () => ({ log: seen, lease: seen }), conditions, timers: world.timers }),
  )
  const later = async (ms: number) => {
    const before = asked()
    await world.advance(ms)
    if (seen === 'away') await until(() => asked() >= before + 2 * urls.length)
    await new Promise(resolve => setTimeout(resolve, 50))
  }
  await later(60_000)
  t.equal(asked(), 0, 'while the streams can store records, nobody is asked')

  seen = 'away'
  conditions.begin('servers-away', 'most of the NATS servers are away or have chosen no leader')
  await later(5000)
  await later(10_000)
  t.same(
    conditions.shown().map(({ code }) => code),
    ['servers-away'],
  )
  await later(40_000)
  t.same(
    conditions.shown().map(({ code }) => code),
    ['no-leader'],
  )
  t.same(
    conditions
      .all()
      .map(({ code }) => code)
      .sort(),
    ['no-leader', 'servers-away'],
  )
  t.notOk(conditions.areReady())
  t.match(
    lines.at(-1),
    /^the stream REPRISE_SHARD_0 has no leader, although all NATS servers run and reach each other, and n2 and n3 have no copy of it; .*Stop all NATS servers, move the store folder of each aside, and start them\. Then run "reprise cluster init --again"/,
  )

  said('n2').routes = {}
  await later(5000)
  t.ok(conditions.has('no-leader'), 'one look may fail')
  said('n1').copies = { [shard]: 'n1', [lease]: 'n1' }
  said('n2').routes = ways('n2')
  await later(5000)
  t.match(lines.at(-1), /^over after \d+ s: the stream REPRISE_SHARD_0 has no leader/)
  t.same(
    conditions.shown().map(({ code }) => code),
    ['servers-away'],
  )
})
