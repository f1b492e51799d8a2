// Measures the work of the log: the time of each append, and the time and size of each batch that is written.
import { isTaskStream } from '../contract/task-stream.ts'
import type { EventLog } from '../log/log.ts'
import type { Store } from '../log/store.ts'
import { add, createTally } from './tally.ts'

const seconds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5]
const events = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512]

export const createLogCounts = () => {
  const appends = createTally(seconds)
  const commits = createTally(seconds)
  const batches = createTally(events)
  let failures = 0
  let turns = 0
  return {
    appends,
    commits,
    batches,
    /** The number of batches that could not be written. */
    failures: () => failures,
    /** The number of appends to streams of tasks, which is the number of turns of task actors that stored something. */
    turns: () => turns,

    store: (store: Store): Store => ({
      ...store,
      async write(batch) {
        const since = performance.now()
        const size = batch.streamNos.length
        try {
          await store.write(batch)
        } catch (error) {
          failures++
          throw error
        }
        add(commits, (performance.now() - since) / 1000)
        add(batches, size)
      },
    }),

    log: (log: EventLog): EventLog => ({
      ...log,
      append(appended, ordered) {
        const since = performance.now()
        const stored = log.append(appended, ordered)
        stored.then(
          () => {
            add(appends, (performance.now() - since) / 1000)
            if (isTaskStream(appended[0]?.stream ?? '')) turns++
          },
          () => {}, // the caller of the append gets the error
        )
        return stored
      },
    }),
  }
}
export type LogCounts = ReturnType<typeof createLogCounts>
