// Which node claims the log when its stream was made again, or when the servers have lost its end: the node that has the
// most events. Otherwise the first writer would store other events in the places of those that another node has.
import type { Timers } from '../../contract/ports.ts'
import { IsShorter, IsUnanswered } from './errors.ts'
import type { Intake } from './intake.ts'

/** The log of another node. `events`: how many it has, as it said a moment ago; absent: it does not answer. */
export type OtherLog = { node: string; events?: number }

type Deps = {
  intake: Pick<Intake, 'at' | 'head'>
  others: () => readonly OtherLog[]
  timers: Timers
}

/** A node waits this many milliseconds for others that do not answer and may have more events. */
const waitMs = 12_000

export const createLongest = ({ intake, others, timers }: Deps) => {
  /** The wait for others; undefined: this node has not waited since its last claim. */
  let wait: { isOver: boolean; cancel: () => void } | undefined

  const end = (): void => {
    wait?.cancel()
    wait = undefined
  }
  const begin = (): void => {
    end()
    const cancel = timers.after(waitMs, () => {
      begun.isOver = true
    })
    const begun = { isOver: false, cancel }
    wait = begun
  }
  /** Whether the shared log shows that the servers have lost events. Then another node may have more than this one. */
  const isShort = (): boolean => intake.at().sequence <= 1 || intake.head() > intake.at().position

  return {
    /**
     * Throws IsShorter when another node has more events than this one, which has read the shared log to its end. Throws
     * IsUnanswered when another node may have more and does not answer, if this node `waits`, and has not waited too long.
     */
    must(waits: boolean): void {
      const here = intake.head()
      const logs = others()
      for (const { node, events = 0 } of logs) {
        if (events <= here) continue
        begin() // if that node falls silent now, this one waits for it
        throw new IsShorter(here, { node, events })
      }
      const silent = logs.filter(({ events }) => events === undefined).map(({ node }) => node)
      if (!waits || silent.length === 0) return
      if (wait === undefined && isShort()) begin()
      if (wait?.isOver === false) throw new IsUnanswered(silent, waitMs / 1000)
    },
    /** Called when this node has claimed the log. */
    end,
  }
}
