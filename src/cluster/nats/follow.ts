// Follows a stream: hands over its records in order, each once, through one pull after another. Before each pull it
// checks whether the stream still has the record that was handed over last.
import { sleep } from '../../platform/sleep.ts'
import type { Following, SharedLog, SharedRecord } from '../shared-log.ts'
import { Ended, ended, type FollowDeps, lookAt, type Place } from './last-record.ts'
import { openPull, type Pull } from './pull.ts'

/** Milliseconds from the end of a pull to the next one. */
const againMs = 50

export const createFollow =
  (deps: FollowDeps): SharedLog['follow'] =>
  (after, handle, failed): Following => {
    const { name, drops, ask, timers, closing } = deps
    const stop = new AbortController()
    const stopping = AbortSignal.any([stop.signal, closing])
    let handling: unknown
    let last: Place = { sequence: after }
    let pull: Pull | undefined

    const handOver = async (records: SharedRecord[]): Promise<void> => {
      const newest = records.at(-1)
      if (newest === undefined || stopping.aborted) return
      const missing =
        last.sequence + 1 + records.findIndex((record, n) => record.sequence !== last.sequence + 1 + n)
      if (missing > last.sequence && !drops)
        throw ended(new Error(`record ${missing} of ${name} is missing: somebody has deleted it`))
      try {
        handling = handle(records)
        await handling
      } catch (error) {
        throw ended(error)
      }
      last = newest
    }
    const pullAll = async (): Promise<void> => {
      await lookAt(last, deps, stopping)
      if (stopping.aborted) return
      pull = await ask((manager, connection) =>
        openPull({ manager, connection, name, timers }, last.sequence + 1),
      )
      try {
        while (!stopping.aborted) {
          const records = await pull.next()
          if (records.length === 0) await lookAt(last, deps, stopping)
          await handOver(records)
        }
      } finally {
        pull.close()
      }
    }
    const run = async (): Promise<void> => {
      while (!stopping.aborted) {
        try {
          await pullAll()
        } catch (error) {
          if (error instanceof Ended) return failed(error.cause)
          await sleep(timers, againMs, stopping) // the servers are away, or the pull has ended
        }
      }
    }
    void run()
    return {
      async stop() {
        stop.abort()
        pull?.close()
        await handling
      },
    }
  }
