// The thread that sends and watches the beats of a lease. It has a connection of its own, so the node keeps the lease
// even when its main thread is busy.
import { randomUUID } from 'node:crypto'
import { parentPort, workerData } from 'node:worker_threads'
import { CannotStart } from '../contract/cannot-start.ts'
import type { Report } from '../contract/ports.ts'
import { sleep } from '../platform/sleep.ts'
import { hearWarnings } from '../platform/warnings.ts'
import { realWorld } from '../platform/world.ts'
import { createBeats } from './beats.ts'
import type { LeaseData, LeaseOrder, LeaseReply } from './lease-messages.ts'
import { createTrouble } from './lease-trouble.ts'
import { openSharedLog } from './nats/shared-log.ts'
import { leaseStream } from './nats/streams.ts'
import type { SharedLog } from './shared-log.ts'
import { watchEnd } from './watch-end.ts'

/** Milliseconds that a server has to store a beat. Then the next server is tried. */
const appendMs = 1000
/** Milliseconds until the servers are asked again when the stream is missing. */
const againMs = 2000
const nanoseconds = 1_000_000
/** Milliseconds to wait for the servers before it is noted that they are away. */
const openMs = 2000

const { settings, shard, node, beatMs, leaseMs, until } = workerData as LeaseData
const port = parentPort as NonNullable<typeof parentPort>
const reply = (message: LeaseReply) => port.postMessage(message)
const report: Report = (...line) => reply({ report: line })
const { timers } = realWorld()
hearWarnings(report)

const trouble = createTrouble(now => reply({ trouble: now }))

/** Whether the servers answer, and have no stream of the lease. */
const isMissing = async (): Promise<boolean> => {
  try {
    const probe = await openSharedLog({
      settings,
      ...leaseStream(shard),
      waitMs: appendMs,
      timers,
      report: () => {},
    })
    await probe.close()
    return false
  } catch (error) {
    return error instanceof CannotStart
  }
}

/** Opens the stream as soon as it exists. The main thread learns meanwhile why it is not open. */
const open = async (): Promise<SharedLog> => {
  for (;;) {
    try {
      return await openSharedLog({
        settings,
        ...leaseStream(shard),
        appendMs,
        waitMs: openMs,
        timers,
        report,
      })
    } catch (error) {
      trouble.note('stream', error instanceof CannotStart ? 'missing' : 'away')
      await sleep(timers, againMs, new AbortController().signal)
    }
  }
}

const opened = open().then(log => {
  const stopWatching = watchEnd({
    log,
    timers,
    async told(end) {
      if (end === undefined) trouble.note('stream', 'away')
      else trouble.note('stream', end === 0 && (await isMissing()) ? 'missing' : undefined)
    },
  })
  const beats = createBeats({
    log,
    node,
    run: randomUUID(),
    beatMs,
    leaseMs,
    now: () => Number(process.hrtime.bigint()) / nanoseconds,
    timers,
    holds: to => void Atomics.store(until, 0, BigInt(Math.floor(to * nanoseconds))),
    tell: news => {
      if (news.state === 'theirs') trouble.note('beats', undefined) // the servers have stored the beat of another node
      reply({ news })
    },
    answered: isAnswered => trouble.note('beats', isAnswered ? undefined : 'away'),
  })
  return { log, beats, stopWatching }
})

port.on('message', async (order: LeaseOrder) => {
  const { log, beats, stopWatching } = await opened
  if (order === 'close') {
    stopWatching()
    await log.close() // otherwise the beats would wait for servers that are away
    await beats.stop()
    reply('closed')
    port.close()
  } else if ('want' in order) {
    if (!order.want) trouble.note('beats', undefined) // it sends none
    beats.want(order.want)
  } else {
    await beats.release()
    reply({ released: order.release })
  }
})
