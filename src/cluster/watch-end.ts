// Looks again and again whether the servers of a shared log answer, and where the log ends.
import type { Timers } from '../contract/ports.ts'
import type { SharedLog } from './shared-log.ts'

/** Milliseconds between two questions, and milliseconds after which a question without an answer counts as failed. */
const lookMs = 1000
const patienceMs = 2000

type Deps = {
  log: Pick<SharedLog, 'tail'>
  timers: Timers
  /** Called with the end after each question; undefined: there is no answer. */
  told: (end: number | undefined) => void
}

/** Returns a function that ends it. */
export const watchEnd = ({ log, timers, told }: Deps): (() => void) => {
  let isAsking = false
  let isOver = false
  const tell = (end: number | undefined): void => {
    if (!isOver) told(end)
  }
  const look = async (): Promise<void> => {
    if (isAsking) return
    isAsking = true
    const answered = timers.after(patienceMs, () => tell(undefined))
    const end = await log.tail().catch(() => undefined)
    answered()
    isAsking = false
    tell(end)
  }
  void look()
  const cancel = timers.every(lookMs, () => void look())
  return () => {
    isOver = true
    cancel()
  }
}
