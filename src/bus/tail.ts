// The public events of the log for one reader that follows it: from memory while it keeps up, else from the log, a page
// at a time.
import type { Log } from '../contract/stored.ts'
import { indexAfter, type Told, toldOf } from './told.ts'

const keptAtMost = 4096

export const createTail = (log: Pick<Log, 'head' | 'readAll'>) => {
  /** What was committed after `from`. */
  let kept: Told[] = []
  let from = log.head()
  let upTo = from

  return {
    add(told: readonly Told[], committedUpTo: number): void {
      upTo = committedUpTo
      kept.push(...told)
      if (kept.length <= keptAtMost) return
      kept = []
      from = upTo
    },
    /** What comes next after a position, and how far that goes; not further: nothing has come yet. */
    async after(position: number): Promise<{ told: readonly Told[]; upTo: number }> {
      if (position >= from) {
        const told = kept.slice(indexAfter(kept, position))
        kept = []
        from = upTo
        return { told, upTo: Math.max(upTo, position) }
      }
      for await (const page of log.readAll(position))
        return { told: toldOf(page), upTo: page.at(-1)?.position ?? position }
      return { told: [], upTo: position }
    },
  }
}
export type Tail = ReturnType<typeof createTail>
