import { jetstream, jetstreamManager } from '@nats-io/jetstream'
import { createEvents } from '../src/bus/events.ts'
import { createNatsBus } from '../src/bus/nats/nats-bus.ts'
import { natsOf } from '../src/bus/nats/nats-settings.ts'
import { bodyOf, publishedOf } from '../src/bus/published.ts'
import { wholeLoop } from '../src/fairness/loop-shares.ts'
import { realWorld } from '../src/platform/world.ts'
import { natsServer, noNats } from '../test/support/nats.ts'
import { newFolder } from './support/folder.ts'
import { makeLog } from './support/made-history.ts'
import { openFileLog } from './support/open-log.ts'
import { interleave, printRatio } from './support/rounds.ts'
import { percentile } from './support/stats.ts'

export const about =
  'sending a long log to an empty JetStream, against a bare client with the same bodies; and the delay that NATS adds'

const stored = Number(process.env.EVENTS ?? 300_000)
const liveEvents = Number(process.env.LIVE ?? 2000)
const pace = Number(process.env.PACE ?? 500)
const underWay = 1024

const pause = (ms: number) => new Promise(resolve => setTimeout(resolve, ms))

export const run = async (): Promise<void> => {
  if (noNats !== false) throw new Error(noNats)
  const ends: (() => unknown)[] = []
  const here = { teardown: (end: () => unknown) => void ends.push(end) }
  const nats = await natsServer(here)
  const client = await nats.client(here)
  const manager = await jetstreamManager(client)
  const settings = natsOf({ NATS_URL: nats.url })
  if (settings === undefined) throw new Error('nats-server is not installed')

  const folder = newFolder('log')
  await makeLog(folder, { events: stored })
  const log = openFileLog(folder)
  const bodies: string[] = []
  for await (const page of log.readAll()) bodies.push(...publishedOf(page).map(bodyOf))
  const clear = () => manager.streams.delete('REPRISE_EVENTS').catch(() => false)

  /** Resolves to messages per second, until the last message is acknowledged. */
  const rateOf = async (work: () => Promise<unknown>): Promise<number> => {
    await clear()
    const began = performance.now()
    await work()
    const rate = (bodies.length / (performance.now() - began)) * 1000
    const { state } = await manager.streams.info('REPRISE_EVENTS')
    if (state.messages !== bodies.length) throw new Error(`${state.messages} of ${bodies.length} are there`)
    return rate
  }
  const { timers } = realWorld()
  const busOn = (file: string) => {
    const events = createEvents(log, wholeLoop)
    const bus = createNatsBus({
      settings,
      log,
      file,
      timers,
      report: (level, message) => level !== 'info' && console.log(message),
    })
    const publish = bus.join(events)
    return { ...bus, events, publish }
  }
  const rounds = await interleave({
    bare: () =>
      rateOf(async () => {
        await manager.streams.add({ name: 'REPRISE_EVENTS', subjects: ['reprise.events.>'] })
        const publisher = jetstream(client)
        let acknowledged: Promise<unknown>[] = []
        for (const body of bodies) {
          acknowledged.push(publisher.publish('reprise.events.user-0.task.TaskUpdated.bench', body))
          if (acknowledged.length < underWay) continue
          await Promise.all(acknowledged)
          acknowledged = []
        }
        await Promise.all(acknowledged)
      }),
    ours: async () => {
      const bus = busOn(`${folder}/nats.json`)
      const rate = await rateOf(async () => {
        bus.start()
        while (!(bus.counts().connected && bus.counts().lag === 0)) await pause(1)
      })
      await bus.stop()
      return rate
    },
  })
  printRatio(`${bodies.length.toLocaleString('en')} events into JetStream`, rounds.ours, rounds.bare, {
    unit: 'events/s',
    target: { atLeast: 0.7 },
  })

  // The time from the commit until a subscriber has the event, at a pace far below the capacity. The baseline is a
  // message of the same bytes from one connection to another.
  const bus = busOn(`${folder}/live.json`)
  const committedAt = new Map<number, number>()
  let times: number[] = []
  bus.events.subscribe(
    log.head(),
    {},
    told => {
      for (const { position } of told) times.push(performance.now() - (committedAt.get(position) ?? 0))
      return true
    },
    error => console.error(error),
  )
  log.onCommit(events => {
    const now = performance.now()
    for (const { position } of events) committedAt.set(position, now)
  })
  log.subscribe({ after: log.head() }, bus.publish)
  const listener = await nats.client(here)
  const sentAt: number[] = []
  listener.subscribe('bare.>', {
    callback: (_error, message) =>
      void times.push(performance.now() - (sentAt[Number(message.subject.slice(5))] ?? 0)),
  })
  await listener.flush()
  const body = bodies[0] ?? ''
  const bare = async (n: number) => {
    sentAt[n] = performance.now()
    client.publish(`bare.${n}`, body)
  }
  const append = (n: number) =>
    log.append([
      {
        stream: `task-live-${log.head()}-${n}`,
        expectedRevision: -1,
        principal: 'bench',
        owner: 'user-0',
        session_id: 's',
        correlation_id: 'c',
        causation_id: 'r',
        events: [{ type: 'TaskDeleted', schema_version: 1, data: {}, seq: 0, frames: 0 }],
      },
    ])
  /** Resolves to the p99 in milliseconds of the events that are sent at this pace. */
  const paced = async (send: (n: number) => Promise<unknown>): Promise<number> => {
    times = []
    const began = performance.now()
    for (let n = 0; n < liveEvents; ) {
      for (const due = ((performance.now() - began) / 1000) * pace; n < due && n < liveEvents; n++)
        void send(n)
      await pause(1)
    }
    while (times.length < liveEvents) await pause(1)
    return percentile(times, 0.99)
  }
  bus.start()
  while (!(bus.counts().connected && bus.counts().lag === 0)) await pause(1)
  const live = await interleave({ bare: () => paced(bare), ours: () => paced(append) })
  printRatio(
    `from the commit to a follower, p99 at ${pace.toLocaleString('en')} events/s`,
    live.ours,
    live.bare,
    {
      unit: 'ms',
      target: { atMost: 2 },
    },
  )
  console.log(`  (${JSON.stringify(bus.counts().delivered)})`)
  await bus.stop()
  await log.close()
  for (const end of ends.reverse()) await end()
}
