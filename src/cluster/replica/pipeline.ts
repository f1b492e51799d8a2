// The order of what the owner writes: a record is published while those before it are still under way, and is written to
// the local log when the servers have it and those before it were written.
import type { createKeyGate } from './key-gate.ts'
import type { Publisher } from './publisher.ts'

type Deps = { gate: ReturnType<typeof createKeyGate>; failed: (error: unknown) => void }

export const createPipeline = ({ gate, failed }: Deps) => {
  let failure: { error: unknown } | undefined
  /** Settles when the last record was given to the local log. */
  let handed: Promise<unknown> = Promise.resolve()
  let underWay: Promise<unknown> = handed

  const fail = (error: unknown): void => {
    if (failure !== undefined) return
    failure = { error }
    failed(error)
  }
  /** Publishes, then writes locally, then notes the place. `end`: the last position afterwards. */
  const store = <T>(
    count: number,
    publish: () => ReturnType<Publisher['publish']>,
    write: () => Promise<T>,
  ) => {
    if (failure !== undefined) return Promise.reject(failure.error)
    const published = gate(count, async () => publish())
    published.catch(() => {}) // it is reported below, but only after those before
    const given = handed.then(async () => {
      const mark = await published
      return { mark, written: write() }
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
    /** Resolves when everything that was begun is stored; rejects when that has failed. */
    stored: async (): Promise<void> => void (await underWay),
    /** Resolves when nothing is under way, however that has ended. */
    settled: (): Promise<unknown> => underWay.catch(() => {}),
  }
}
