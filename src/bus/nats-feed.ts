// The way of events from commits to subscribers over NATS. A committed event waits until NATS brings it back; then the
// feed publishes the event as the log has it. When NATS does not bring it back, the feed publishes it and all later
// events without NATS. The feed waits for NATS again as soon as NATS brings an event that was published a moment ago.
import type { Timers } from '../contract/ports.ts'
import type { NatsMessage } from './nats/client.ts'
import { idHeader } from './nats-subject.ts'
import type { Published } from './published.ts'
import { createRecent } from './recent.ts'
import { createSilenceWatch } from './silence.ts'
import { createWaiting, isSame } from './waiting.ts'

/** The most events that may wait for NATS. When more wait, the feed publishes all of them without NATS. */
const waitAtMost = 4096
/** How many events the feed remembers after it has published them without NATS. */
const rememberAtMost = 1024
/** Milliseconds between two checks whether NATS brings events. An event waits less than twice this time. */
const silenceMs = 250

/** `head`: events up to this position are published already. NATS may still bring them. */
export const createNatsFeed = (
  publishUpTo: (upTo: number, events: readonly Published[]) => void,
  timers: Timers,
  head = 0,
) => {
  const counts = { nats: 0, log: 0, foreign: 0 }
  let carries = false
  const waiting = createWaiting(publishUpTo, head)
  const fromLog = createRecent(rememberAtMost)

  const releaseReady = () => {
    counts.nats += waiting.releaseReady()
  }
  const goBackToTheLog = () => {
    carries = false
    releaseReady()
    const events = waiting.all()
    counts.log += events.length
    fromLog.add(events)
    waiting.releaseAll()
  }
  const silence = createSilenceWatch(timers, silenceMs, {
    isWaiting: () => waiting.all().length > 0,
    onSilence: goBackToTheLog,
  })

  /** Lets NATS carry events again when it brings an event that was published a moment ago: newer events will follow. */
  const takeUp = (message: NatsMessage, position: number) => {
    const known = fromLog.at(position)
    if (known === undefined) return
    carries = isSame(message, known)
    if (carries) fromLog.clear()
    else counts.foreign++
  }

  const take = (message: NatsMessage, position: number) => {
    const found = waiting.bring(message, position)
    if (found === 'foreign') counts.foreign++
    else if (found === 'gap') goBackToTheLog()
    else {
      silence.heard()
      if (waiting.ready() === 1) queueMicrotask(releaseReady) // together with all events that come in this turn
    }
  }

  return {
    counts,

    commit(events: readonly Published[], committedUpTo: number): void {
      waiting.add(events, committedUpTo)
      const count = waiting.all().length
      if (!carries || count > waitAtMost) goBackToTheLog()
      else if (count === 0) waiting.releaseAll()
      else silence.watch()
    },

    hear(message: NatsMessage): void {
      const position = Number(message.header(idHeader) ?? Number.NaN)
      if (!(position <= waiting.upTo()))
        counts.foreign++ // every event of this log is committed before it is sent
      else if (!carries) takeUp(message, position)
      else if (waiting.isExpected(position)) take(message, position)
      // otherwise the event is published already
    },

    /** Called when the connection to NATS has ended. */
    goBackToTheLog,
  }
}
export type NatsFeed = ReturnType<typeof createNatsFeed>
