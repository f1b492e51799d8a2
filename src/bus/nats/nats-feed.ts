// Brings events from commits to subscribers over NATS. A committed event waits until NATS brings the event back. Then
// the feed publishes the event as the log has it. If NATS does not bring it back in time, the feed publishes this event
// and later ones without NATS. When NATS then brings one of the newest events, the feed waits for NATS again.
import type { Timers } from '../../contract/ports.ts'
import type { Published } from '../published.ts'
import { createRecent } from '../recent.ts'
import { createSilenceWatch } from '../silence.ts'
import { createWaiting, isSame } from '../waiting.ts'
import type { NatsMessage } from './client.ts'
import { idHeader } from './nats-subject.ts'

/** When more events than this wait for NATS, the feed publishes all of them without NATS. */
const waitAtMost = 4096
/** The feed remembers this many of the newest events that it has published without NATS. */
const rememberAtMost = 1024
/** Milliseconds between two checks whether NATS brings events. An event waits less than twice this time. */
const silenceMs = 250

/** `head`: events up to this position are published already. NATS may still bring some of them. */
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
