import { jetstream, jetstreamManager } from '@nats-io/jetstream'
import { createEvents } from '../src/bus/events.ts'
import { createNatsBus } from '../src/bus/nats-bus.ts'
import { natsOf } from '../src/bus/nats-settings.ts'
import { bodyOf, toldOf } from '../src/bus/told.ts'
import { realWorld } from '../src/world.ts'
import { natsServer, noNats } from '../test/support/nats.ts'
import { newFolder } from './support/folder.ts'
import { makeLog } from './support/made-history.ts'
import { openFileLog } from './support/open-log.ts'
import { interleave, printRatio } from './support/rounds.ts'
import { percentile, short } from './support/stats.ts'

export const about =
  'a long log into an empty JetStream, against a bare client with the same bodies; and what NATS adds to a live event'

const stored = Number(process.env.EVENTS ?? 300_000)
const liveEvents = Number(process.env.LIVE ?? 500)
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
  if (settings === undefined) throw new Error('there is no NATS')

  const folder = newFolder('log')
  await makeLog(folder, { events: stored })
  const log = openFileLog(folder)
  const bodies: string[] = []
  for await (const page of log.readAll()) bodies.push(...toldOf(page).map(bodyOf))
  const clear = () => manager.streams.delete('REPRISE_EVENTS').catch(() => false)

  /** Messages a second until the last one is acknowledged. */
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
    const events = createEvents(log)
    const bus = createNatsBus({
      settings,
      log,
      file,
      timers,
      report: (level, message) => level !== 'info' && console.log(message),
    })
    const telling = bus.join(events)
    return { ...bus, events, telling }
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
  })

  // From the commit until a follower is told, event by event.
  const bus = busOn(`${folder}/live.json`)
  let heard = () => {}
  bus.events.subscribe(
    log.head(),
    {},
    () => {
      heard()
      return true
    },
    error => console.error(error),
  )
  const live = async (): Promise<number[]> => {
    const times: number[] = []
    for (let n = 0; n < liveEvents; n++) {
      const told = new Promise<void>(resolve => {
        heard = resolve
      })
      await log.append([
        {
          stream: `task-live-${log.head()}`,
          expectedRevision: -1,
          principal: 'bench',
          owner: 'user-0',
          session_id: 's',
          correlation_id: 'c',
          causation_id: 'r',
          events: [{ type: 'TaskDeleted', schema_version: 1, data: {}, seq: 0, frames: 0 }],
        },
      ])
      const committed = performance.now()
      await told
      times.push(Math.max(0, performance.now() - committed))
    }
    return times
  }
  log.onCommit(bus.telling.commit)
  const direct = await live()
  bus.start()
  while (!(bus.counts().connected && bus.counts().lag === 0)) await pause(1)
  await live() // until NATS carries
  const through = await live()
  const middle = (times: number[]) =>
    `${short(percentile(times, 0.5))} ms, p99 ${short(percentile(times, 0.99))} ms`
  console.log(
    `\nfrom the commit to a follower\n  log       ${middle(direct)}\n  NATS      ${middle(through)}`,
  )
  console.log(`  (${JSON.stringify(bus.counts().told)})`)
  await bus.stop()
  await log.close()
  for (const end of ends.reverse()) await end()
}
