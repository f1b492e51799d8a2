// What a node sees of the streams and of the servers that keep them, with real servers.
import tap from 'tap'
import { wordsOfServers } from '../../src/cluster/nats/look-at-servers.ts'
import { openServers } from '../../src/cluster/nats/setup.ts'
import { watchStreams } from '../../src/cluster/nats/watch-streams.ts'
import { realWorld } from '../../src/platform/world.ts'
import { natsCluster, noNats, until } from '../support/nats-cluster.ts'

tap.test('a NATS server that is away is named until it is back', { skip: noNats }, async t => {
  const cluster = await natsCluster(t)
  const { settings } = await cluster.client()
  const servers = await openServers(settings)
  await until('the streams', () => servers.setUp(0))
  await servers.close()
  const { seen, stop } = watchStreams({ settings, shard: 0, timers: realWorld().timers })
  t.teardown(stop)
  const words = () => wordsOfServers({ servers: [], streams: seen().streams })
  const isWhole = () => seen().streams.length === 2 && words().length === 0
  await until('three copies of both streams', isWhole)
  t.same(
    seen().streams.map(({ copies }) => copies.length),
    [3, 3],
  )
  await cluster.kill(1)
  await until('its name', () => words().some(text => /^the NATS server nats-1 is away/.test(text)))
  t.match(seen(), { log: 'here', lease: 'here' })
  await cluster.start(1)
  await until('the end', isWhole)
})
