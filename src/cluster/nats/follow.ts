// Follows a stream: hands over its records in order, each once, through one pull after another. Before each pull it
// checks whether the stream still has the record that was handed over last. When the copy of one server has a flaw, the
// next pull is from another server.
import { sleep } from '../../platform/sleep.ts'
import {
  type Following,
  MissingRecord,
  type SharedLog,
  type SharedRecord,
  UnfitRecord,
} from '../shared-log.ts'
import { Ended, ended, type FollowDeps, lookAt, type Place } from './last-record.ts'
import { NoCopy } from './no-answer.ts'
import type { Pull } from './pull.ts'

/** Milliseconds from the end of a pull to the next one. */
const againMs = 50

/** The copy of a server cannot give a record. `cause`: the error when no other copy can, either. */
class Flawed extends Error {
  readonly server: string
  readonly sequence: number
  constructor(server: string, sequence: number, cause?: unknown) {
    super('', { cause })
    this.server = server
    this.sequence = sequence
  }
}

export const createFollow =
  (deps: FollowDeps): SharedLog['follow'] =>
  (after, handle, failed): Following => {
    const { drops, copies, timers, closing } = deps
    const stop = new AbortController()
    const stopping = AbortSignal.any([stop.signal, closing])
    let handling: unknown
    let last: Place = { sequence: after }
    let pull: Pull | undefined

    const handOver = async (records: SharedRecord[], server: string): Promise<void> => {
      const fitting = drops ? records : records.slice(0, unbroken(records, last.sequence))
      const newest = fitting.at(-1)
      if (stopping.aborted) return
      if (newest !== undefined) {
        try {
          handling = handle(fitting)
          await handling
        } catch (error) {
          // A misplaced record was compared with all copies: no other one has a better record in its place.
          const mayBeBetter = error instanceof UnfitRecord && !error.isMisplaced
          throw mayBeBetter ? new Flawed(server, error.sequence, error) : ended(error)
        }
        last = newest
      }
      if (fitting.length < records.length) throw new Flawed(server, last.sequence + 1)
    }
    const takeAll = async ({ next, server }: Pull): Promise<void> => {
      /** The end of the stream when the pull brought nothing for the last time. */
      let seen = 0
      while (!stopping.aborted) {
        const records = await next()
        if (records.length === 0) {
          // The stream had more records than this copy, even one request earlier.
          if (last.sequence < seen) throw new Flawed(server, last.sequence + 1)
          seen = await lookAt(last, deps, stopping)
        }
        await handOver(records, server)
      }
    }
    const pullAll = async (): Promise<void> => {
      await lookAt(last, deps, stopping)
      if (stopping.aborted) return
      pull = await copies.open(last.sequence + 1)
      try {
        await takeAll(pull)
      } finally {
        pull.close()
      }
    }
    const run = async (): Promise<void> => {
      /** Why the last copy was left; undefined: it had no flaw. */
      let reason: unknown
      while (!stopping.aborted) {
        try {
          await pullAll()
        } catch (error) {
          if (error instanceof Ended) return failed(error.cause)
          if (error instanceof Flawed) {
            reason = error.cause ?? new MissingRecord(error.sequence, [...copies.servers(), error.server])
            copies.note(error.server, error.sequence)
          } else if (error instanceof NoCopy) {
            copies.forget()
            return failed(reason ?? error)
          } else await sleep(timers, againMs, stopping) // the servers are away, or the pull has ended
        }
      }
    }
    void run()
    return {
      async stop() {
        stop.abort()
        pull?.close()
        await Promise.resolve(handling).catch(() => {}) // `failed` gets the error
      },
    }
  }

/** How many of the records follow a sequence without a hole. */
export const unbroken = (records: readonly SharedRecord[], after: number): number => {
  const hole = records.findIndex(({ sequence }, n) => sequence !== after + 1 + n)
  return hole < 0 ? records.length : hole
}
