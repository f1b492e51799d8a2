// Records which token was shown which tasks, in the log itself. A read never waits until it is recorded, and never
// fails because recording fails. Records that cannot be stored are kept for the next try, up to a limit; reads beyond
// the limit are counted as lost.
import type { Clock, Report, Timers } from '../contract/ports.ts'
import { createReadBatch } from './read-batch.ts'
import { type AccessLog, createUnstoredReads } from './unstored-reads.ts'

/** Notes a task that is shown. */
export type Shows = (taskId: string) => void

export type Reads = {
  /** Counts an answer or a subscription of a principal. The returned function notes a task that it shows. */
  begin(principal: { id: string }, route: string): Shows
  /** Stores what was noted, if that is possible. */
  stop(): Promise<void>
}

/** Records nothing. */
export const noReads: Reads = { begin: () => () => {}, stop: async () => {} }

/** Milliseconds from a read until it is stored, together with the other reads of that time. */
const waitMs = 2000
/** Characters after which reads are stored at once. */
const fullAt = 1024 * 1024
/** The most characters that are kept while the log fails. */
const mostInMemory = 8 * fullAt

type Deps = {
  log: AccessLog
  clock: Clock
  timers: Pick<Timers, 'after'>
  report: Report
}

export const createReads = ({ log, clock, timers, report }: Deps): Reads => {
  const batch = createReadBatch()
  const unstored = createUnstoredReads(log, clock)
  let failing = false
  let cancelTimer: (() => void) | undefined
  let storing: Promise<void> | undefined

  const store = async (): Promise<void> => {
    const size = batch.size()
    unstored.add(batch.take(), size)
    try {
      const lost = await unstored.store()
      if (lost !== undefined && failing) report('warn', 'reads of tasks are recorded again', { lost })
      failing = false
    } catch (error) {
      if (!failing)
        report('error', 'reads of tasks could not be recorded; the server keeps them and tries again', {
          error: error instanceof Error ? error.message : String(error),
        })
      failing = true
    }
  }
  const storeSoon = (ms: number): void => {
    if (storing !== undefined) return // when it ends, it schedules the reads that came meanwhile
    cancelTimer?.()
    cancelTimer = timers.after(ms, () => {
      cancelTimer = undefined
      storing = store().finally(() => {
        storing = undefined
        if (batch.size() > 0 || !unstored.isEmpty()) storeSoon(waitMs)
      })
    })
  }

  /** Notes a read. If too many reads wait to be stored, counts it as lost instead. */
  const note = (add: () => void): void => {
    if (unstored.size() + batch.size() > mostInMemory) {
      if (unstored.lose() === 1) report('error', 'reads of tasks are lost, since they cannot be recorded')
      return
    }
    add()
    if (cancelTimer === undefined) storeSoon(waitMs)
    else if (batch.size() > fullAt && !failing) storeSoon(0)
  }

  return {
    begin({ id }, route) {
      note(() => batch.count(id, route))
      return taskId => note(() => batch.add(id, route, taskId))
    },
    async stop() {
      cancelTimer?.()
      await storing
      cancelTimer?.()
      await store()
    },
  }
}
