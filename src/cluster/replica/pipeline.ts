// Keeps the writes of the owner in order. A record is published while earlier records are still under way. It is
// written to the local log when the servers have it, and the writes of all earlier records have begun.
import type { createKeyGate } from './key-gate.ts'
import type { Publisher } from './publisher.ts'

type Deps = { gate: ReturnType<typeof createKeyGate>; failed: (error: unknown) => void }

export const createPipeline = ({ gate, failed }: Deps) => {
  let failure: { error: unknown } | undefined
  /** Settles when the write of the last record to the local log has begun. */
  let handed: Promise<unknown> = Promise.resolve()
  let underWay: Promise<unknown> = handed

  const fail = (error: unknown): void => {
    if (failure !== undefined) return
    failure = { error }
    failed(error)
  }
  /** Publishes, then writes locally. Resolves to the place of the record. `count`: how many new keys it may need. */
  const store = <T>(
    count: number,
    publish: () => ReturnType<Publisher['publish']>,
    write: () => Promise<T>,
  ) => {
    if (failure !== undefined) return Promise.reject(failure.error)
    const published = gate(count, async () => publish())
    published.catch(() => {}) // the failure is reported below, but only after earlier ones
    const given = handed.then(async () => {
      const mark = await published
      const written = write()
      written.catch(() => {}) // when an earlier record has failed, nobody waits for this one
      return { mark, written }
    })
    handed = given
    const done = Promise.all([given, underWay]).then(async ([{ mark, written }]) => {
      await written
      return mark
    })
    done.catch(fail)
    underWay = done
    return done
  }

  return {
    store,
    /** Resolves when everything that was begun is stored. Rejects when storing has failed. */
    stored: async (): Promise<void> => void (await underWay),
    /** Resolves when nothing is under way any more, even after a failure. */
    settled: (): Promise<unknown> => underWay.catch(() => {}),
  }
}
