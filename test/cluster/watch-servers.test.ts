// The owner notes when a NATS server is away, with real servers.
import tap from 'tap'
import { createConditions } from '../../src/cluster/conditions.ts'
import { openServers } from '../../src/cluster/nats/setup.ts'
import { watchServers } from '../../src/node/watch-servers.ts'
import { realWorld } from '../../src/platform/world.ts'
import { natsCluster, noNats, until } from '../support/nats-cluster.ts'

tap.test(
  'a NATS server that is away is a condition of the owner until it is back',
  { skip: noNats },
  async t => {
    const cluster = await natsCluster(t)
    const { settings } = await cluster.client()
    const servers = await openServers(settings)
    await until('the streams', () => servers.setUp(0))
    await servers.close()
    const world = realWorld()
    const lines: string[] = []
    const conditions = createConditions({
      // A condition counts at once, so that the test need not wait.
      ...{ clock: world.clock, report: (level, text) => void lines.push(`${level} ${text}`) },
      timers: { ...world.timers, after: (_, job) => world.timers.after(0, job) },
    })
    let isOwner = true
    const codes = () => conditions.all().map(({ code }) => code)
    const { timers } = world
    t.teardown(watchServers({ settings, isOwner: () => isOwner, conditions, timers, everyMs: 200 }))

    await cluster.kill(1)
    await until('the condition', () => codes().includes('server-behind'))
    t.match(lines[0], /^warn the NATS server (nats-1 \()?127\.0\.0\.1:\d+\)? is not reached: /)
    await cluster.start(1)
    await until('the end', () => codes().length === 0)
    t.match(lines.at(-1), /^warn over after \d+ s: the NATS server /)

    await cluster.kill(2)
    await until('the condition', () => codes().includes('server-behind'))
    isOwner = false
    await until('the end, since a standby does not look', () => codes().length === 0)
  },
)
