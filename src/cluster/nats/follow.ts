// Follows a stream: hands over its records in order, each once, through one pull after another. Before each pull it
// looks whether the stream still has the record that was handed over last.
import type { Timers } from '../../contract/ports.ts'
import { sleep } from '../../platform/sleep.ts'
import { type Following, LostTail, type SharedLog, type SharedRecord } from '../shared-log.ts'
import type { Ask } from './ask.ts'
import { endOfStream } from './end.ts'
import { openPull, type Pull } from './pull.ts'

export type FollowDeps = {
  name: string
  /** Whether the stream drops its oldest records. */
  drops: boolean
  ask: Ask
  timers: Timers
  /** Aborts when the log is closed. */
  closing: AbortSignal
}

/** Milliseconds for which a stream must end before our last record: a new leader may learn its end a little later. */
const lostMs = 3000
const lookMs = 100
/** Milliseconds from the end of a pull to the next one. */
const againMs = 50

/** What ends the following, and not only a pull. */
class Ended extends Error {}
const ended = (cause: unknown) => new Ended('', { cause })

type Place = { sequence: number; bytes?: Uint8Array }

/** Throws when the stream has not got our last record any more. */
const lookAt = async (last: Place, { name, drops, ask, timers }: FollowDeps, stopping: AbortSignal) => {
  const endOf = () => ask(manager => endOfStream(manager, name))
  for (const since = performance.now(); ; await sleep(timers, lookMs, stopping)) {
    const end = await endOf()
    if (end >= last.sequence || stopping.aborted) break
    if (performance.now() - since > lostMs) throw ended(new LostTail(last.sequence, end))
  }
  const { sequence, bytes } = last
  if (bytes === undefined) return
  const stored = await ask(manager => manager.streams.getMessage(name, { seq: sequence }))
  if (stored === null ? !drops : !Buffer.from(bytes).equals(stored.data))
    throw ended(new LostTail(sequence, await endOf()))
}

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
