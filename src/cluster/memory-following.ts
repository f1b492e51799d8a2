// Follows the shared log in memory: hands over stored records, then new ones when they come.
import type { Following, SharedLog, SharedRecord } from './shared-log.ts'

/** The largest number of records that are handed over in one call. */
const recordsAtOnce = 100

type Deps = {
  read: (after: number, limit: number) => SharedRecord[]
  /** Functions that are called when a record is stored. */
  waiting: Set<() => void>
  after: number
  handle: Parameters<SharedLog['follow']>[1]
  failed: Parameters<SharedLog['follow']>[2]
}

export const createFollowing = ({ read, waiting, after, handle, failed }: Deps): Following => {
  let isStopped = false
  let wake = () => {}
  const woken = () => wake()
  waiting.add(woken)

  const run = async (): Promise<void> => {
    for (let at = after; !isStopped; ) {
      const records = read(at, recordsAtOnce)
      const last = records.at(-1)
      if (last === undefined) {
        await new Promise<void>(resolve => {
          wake = resolve
        })
        continue
      }
      await handle(records)
      at = last.sequence
    }
  }
  const ended = run()
    .catch(failed)
    .finally(() => waiting.delete(woken))
  return {
    stop() {
      isStopped = true
      wake()
      return ended
    },
  }
}
