// Between the commits and those who follow events, while NATS carries them: what was committed waits until it comes back
// over NATS, and is told as the log has it. When NATS does not bring it, it is told at once, and so is all that follows
// until NATS shows again that it carries: by bringing what was told a moment ago.
import type { Timers } from '../contract/ports.ts'
import type { NatsMessage } from './nats.ts'
import { idHeader, prevHeader } from './nats-subject.ts'
import { bodyOf, indexAfter, type Told } from './told.ts'

/** So many events wait at most, and so many that were told from the log are remembered. */
const waitAtMost = 4096
const rememberAtMost = 1024
/** When nothing came for so long, what waits is told from the log: it waited less than twice as long. */
const silenceMs = 250

/** `head`: what was stored before is told already, and may come over NATS all the same. */
export const createNatsFeed = (
  tell: (told: readonly Told[], upTo: number) => void,
  timers: Timers,
  head = 0,
) => {
  const counts = { nats: 0, log: 0, foreign: 0 }
  let carries = false
  /** Not told yet, oldest first; the first `ready` of them came back, and are told at the end of this turn. */
  let waiting: Told[] = []
  let ready = 0
  /** All up to here was committed. */
  let upTo = head
  /** Told from the log, newest last. */
  let remembered: Told[] = []
  /** Position of the newest that was told; undefined: nothing was yet. */
  let newest: number | undefined
  let watched = false
  let came = 0

  const release = (count: number): void => {
    const told = waiting.slice(0, count)
    waiting = waiting.slice(count)
    newest = told.at(-1)?.position ?? newest
    tell(told, waiting[0] === undefined ? upTo : waiting[0].position - 1)
  }
  const releaseReady = () => {
    const count = ready
    ready = 0
    if (count === 0) return // what was ready has been told from the log
    counts.nats += count
    release(count)
  }
  const goBackToTheLog = () => {
    carries = false
    releaseReady()
    counts.log += waiting.length
    remembered.push(...waiting)
    if (remembered.length > 2 * rememberAtMost) remembered = remembered.slice(-rememberAtMost)
    release(waiting.length)
  }
  /** Looks now and then whether something came for those who wait. */
  const watch = () => {
    if (watched) return
    watched = true
    const before = came
    timers.after(silenceMs, () => {
      watched = false
      if (waiting.length === 0) return
      if (came === before) goBackToTheLog()
      else watch()
    })
  }

  const isSame = (message: NatsMessage, told: Told): boolean => message.body() === bodyOf(told)

  /** NATS brings what was told a moment ago: what is committed from now on comes after it. */
  const takeUp = (message: NatsMessage, position: number) => {
    const known = remembered[indexAfter(remembered, position) - 1]
    if (known?.position !== position) return
    carries = isSame(message, known)
    if (carries) remembered = []
    else counts.foreign++
  }

  /** What waits comes back: in order, or else something was lost. */
  const take = (message: NatsMessage, position: number) => {
    const found = waiting[indexAfter(waiting, position) - 1]
    if (found?.position !== position || !isSame(message, found)) {
      counts.foreign++
      return
    }
    const before = waiting[ready - 1]?.position ?? newest
    const follows = before === undefined || message.header(prevHeader) === String(before)
    if (found !== waiting[ready] || !follows) {
      goBackToTheLog()
      return
    }
    came++
    if (ready++ === 0) queueMicrotask(releaseReady)
  }

  return {
    counts,

    commit(told: readonly Told[], committedUpTo: number): void {
      upTo = committedUpTo
      waiting.push(...told)
      if (!carries || waiting.length > waitAtMost) goBackToTheLog()
      else if (waiting.length === 0) release(0)
      else watch()
    },

    hear(message: NatsMessage): void {
      const position = Number(message.header(idHeader) ?? Number.NaN)
      if (!(position <= upTo))
        counts.foreign++ // what is ours is committed before it is sent
      else if (!carries) takeUp(message, position)
      else if (position >= (waiting[ready]?.position ?? Number.POSITIVE_INFINITY)) take(message, position)
      // else it was told before
    },

    /** NATS is away. */
    goBackToTheLog,
  }
}
export type NatsFeed = ReturnType<typeof createNatsFeed>
