// Decides when a checkpoint is signed: at most once a second, and at most a second after an event.
import type { Clock, Report, Timers } from '../contract/ports.ts'
import type { EventLog } from '../log/log.ts'
import type { Signer, Stored } from './signer.ts'

type Deps = {
  signer: Pick<Signer, 'newest' | 'sign'>
  log: Pick<EventLog, 'head' | 'isFailing' | 'onCommit'>
  clock: Clock
  timers: Pick<Timers, 'after'>
  report: Report
}

/** The fewest milliseconds between two checkpoints. */
const betweenMs = 1000
/** Milliseconds after an event that follows a pause, so that events that follow each other share a checkpoint. */
const shortMs = 100
/** Milliseconds for which a request, and the end of the server, wait for a checkpoint. */
const patienceMs = 2000

/** Milliseconds between two looks at the newest checkpoint. */
const lookMs = 20

const pause = (ms: number): Promise<void> => new Promise(resolve => setTimeout(resolve, ms).unref())

export const createCheckpointer = ({ signer, log, clock, timers, report }: Deps) => {
  let signedAt = 0
  let cancelTimer: (() => void) | undefined
  let works = false
  let failing = false
  /** After the end, nothing is signed, which is no failure. */
  let ended = false

  const isBehind = (): boolean => log.head() > (signer.newest()?.size ?? 0)
  /** Signs, and reports the first failure of several. */
  const sign = async (): Promise<void> => {
    try {
      await signer.sign()
      signedAt = clock.now()
      if (failing) report('warn', 'checkpoints are signed and stored again')
      failing = false
    } catch (error) {
      if (!failing && !ended && !log.isFailing())
        report('error', 'a checkpoint could not be made; the server tries again', {
          error: error instanceof Error ? error.message : String(error),
        })
      failing = true
    }
  }
  const schedule = (): void => {
    if (cancelTimer !== undefined || !works) return
    const wait = failing ? betweenMs : Math.min(betweenMs, signedAt + betweenMs - clock.now())
    cancelTimer = timers.after(Math.max(shortMs, wait), () => {
      void sign().finally(() => {
        cancelTimer = undefined
        if (isBehind()) schedule()
      })
    })
  }
  log.onCommit(schedule)

  return {
    /** The newest checkpoint. Makes the first one. Undefined if that takes longer than `patienceMs`. */
    async newest(): Promise<Stored | undefined> {
      if (signer.newest() === undefined && works) await Promise.race([sign(), pause(patienceMs)])
      return signer.newest()
    },
    /** Waits until the newest checkpoint covers this many events. Undefined if that takes too long. */
    async covering(size: number): Promise<Stored | undefined> {
      for (let waited = 0; waited < 2 * patienceMs; waited += lookMs) {
        const newest = signer.newest()
        if (newest !== undefined && newest.size >= size) return newest
        await pause(lookMs)
      }
      return undefined
    },
    /** Signs a checkpoint at once. A failure is reported. */
    signNow: sign,
    /** Makes the first checkpoint soon, also when no event comes. */
    start(): void {
      works = true
      if (isBehind()) schedule()
    },
    /** Makes a last checkpoint, if that takes no longer than a moment. */
    async stop(): Promise<void> {
      if (!works) return
      works = false
      cancelTimer?.()
      if (!log.isFailing()) await Promise.race([sign(), pause(patienceMs)])
      ended = true
    },
  }
}
