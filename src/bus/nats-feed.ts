// Between the commits and those who follow events, while NATS carries them. What was committed waits until it comes back
// over NATS, and is then published as the log has it. When NATS does not bring it, it is published from the log, and so is
// all that follows, until NATS brings an event that was published a moment ago: then NATS carries again.
import type { Timers } from '../contract/ports.ts'
import type { NatsMessage } from './nats/client.ts'
import { idHeader } from './nats-subject.ts'
import type { Published } from './published.ts'
import { createRecent } from './recent.ts'
import { createSilenceWatch } from './silence.ts'
import { createWaiting, isSame } from './waiting.ts'

/** How many events wait for NATS at most, and how many that were published from the log are remembered. */
const waitAtMost = 4096
const rememberAtMost = 1024
/** How often the feed looks whether NATS brings anything: an event waits less than twice as long. */
const silenceMs = 250

/** `head`: what was stored before is published already, and may come over NATS all the same. */
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

  /** NATS brings what was published a moment ago: what is committed from now on comes after it. */
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
      if (waiting.ready() === 1) queueMicrotask(releaseReady) // with all that comes in this turn
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
        counts.foreign++ // what is ours is committed before it is sent
      else if (!carries) takeUp(message, position)
      else if (waiting.isExpected(position)) take(message, position)
      // else it was published before
    },

    /** NATS is away. */
    goBackToTheLog,
  }
}
export type NatsFeed = ReturnType<typeof createNatsFeed>
