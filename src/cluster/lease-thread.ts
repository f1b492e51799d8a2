// The thread that sends and watches the beats of a lease. It has a connection of its own, so the node keeps the lease
// even when its main thread is busy.
import { randomUUID } from 'node:crypto'
import { parentPort, workerData } from 'node:worker_threads'
import type { Report } from '../contract/ports.ts'
import { sleep } from '../platform/sleep.ts'
import { hearWarnings } from '../platform/warnings.ts'
import { realWorld } from '../platform/world.ts'
import { createBeats } from './beats.ts'
import type { LeaseData, LeaseOrder, LeaseReply } from './lease-messages.ts'
import { openSharedLog } from './nats/shared-log.ts'
import { leaseStream } from './nats/streams.ts'
import type { SharedLog } from './shared-log.ts'

/** Milliseconds that a server has to store a beat. Then the next server is tried. */
const appendMs = 1000
/** Milliseconds until the servers are asked again when the stream is missing. */
const againMs = 2000
const nanoseconds = 1_000_000

const { settings, shard, node, beatMs, leaseMs, until } = workerData as LeaseData
const port = parentPort as NonNullable<typeof parentPort>
const reply = (message: LeaseReply) => port.postMessage(message)
const report: Report = (...line) => reply({ report: line })
const { timers } = realWorld()
hearWarnings(report)

/** Tells the main thread when beats begin to stay without an answer, and when they are answered again. */
const createAnswered = () => {
  let told = true
  return (isAnswered: boolean): void => {
    if (isAnswered !== told) reply({ answered: isAnswered })
    told = isAnswered
  }
}
const answered = createAnswered()

/** Opens the stream as soon as it exists and the servers answer. The main thread notices by itself when they do not. */
const open = async (): Promise<SharedLog> => {
  for (;;) {
    try {
      return await openSharedLog({ settings, ...leaseStream(shard), appendMs, timers, report })
    } catch {
      await sleep(timers, againMs, new AbortController().signal)
    }
  }
}

const opened = open().then(log => ({
  log,
  beats: createBeats({
    log,
    node,
    run: randomUUID(),
    beatMs,
    leaseMs,
    now: () => Number(process.hrtime.bigint()) / nanoseconds,
    timers,
    holds: to => void Atomics.store(until, 0, BigInt(Math.floor(to * nanoseconds))),
    tell(news) {
      if (news.state === 'theirs') answered(true) // the servers have stored a beat of another node
      reply({ news })
    },
    answered,
  }),
}))

port.on('message', async (order: LeaseOrder) => {
  const { log, beats } = await opened
  if (order === 'close') {
    await log.close() // otherwise the beats would wait for servers that are away
    await beats.stop()
    reply('closed')
    port.close()
  } else if ('want' in order) {
    if (!order.want) answered(true) // it sends no beats
    beats.want(order.want)
  } else {
    await beats.release()
    reply({ released: order.release })
  }
})
