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

/** At least this many milliseconds pass between two scheduled checkpoints. */
const betweenMs = 1000
/** After a pause, a checkpoint is signed this many milliseconds after the first event, and covers later events too. */
const shortMs = 100
/** Milliseconds that `newest` and `stop` wait for a checkpoint. `covering` waits twice as long. */
const patienceMs = 2000

/** Milliseconds between two looks at the newest checkpoint. */
const lookMs = 20

const pause = (ms: number): Promise<void> => new Promise(resolve => setTimeout(resolve, ms).unref())

export const createCheckpointer = ({ signer, log, clock, timers, report }: Deps) => {
  let signedAt = 0
  let cancelTimer: (() => void) | undefined
  let works = false
  let failing = false
  /** Whether `stop` has finished. A checkpoint that fails after that is not reported. */
  let ended = false

  const isBehind = (): boolean => log.head() > (signer.newest()?.size ?? 0)
  /** Signs a checkpoint. Of several failures in a row, only the first is reported. */
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
    /** The newest checkpoint. If there is none, one is made now; undefined: that failed or took over `patienceMs`. */
    async newest(): Promise<Stored | undefined> {
      if (signer.newest() === undefined && works) await Promise.race([sign(), pause(patienceMs)])
      return signer.newest()
    },
    /** Waits until the newest checkpoint covers this many events. Undefined if the wait takes too long. */
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
    /** Begins to sign. If the newest checkpoint does not cover all events, makes one soon, also when no event comes. */
    start(): void {
      works = true
      if (isBehind()) schedule()
    },
    /** Makes a last checkpoint, and waits at most `patienceMs` for it. */
    async stop(): Promise<void> {
      if (!works) return
      works = false
      cancelTimer?.()
      if (!log.isFailing()) await Promise.race([sign(), pause(patienceMs)])
      ended = true
    },
  }
}
