// Keeps the open feeds of each task, and ends them when the task is erased.

import { createTransientMap } from '../platform/transient.ts'
export const createOpenFeeds = () => {
  const open = createTransientMap<string, Set<() => void>>()
  return {
    /** `close` is called when the task of this stream is erased. */
    add(stream: string, close: () => void) {
      let job = () => {}
      const end = () => {
        close()
        job()
      }
      const feeds = open.get(stream) ?? new Set()
      feeds.add(end)
      open.set(stream, feeds)
      return {
        /** Takes the feed off the list. */
        leave(): void {
          feeds.delete(end)
          if (feeds.size === 0 && open.get(stream) === feeds) open.delete(stream)
        },
        /** `then` is called after `close`. */
        whenErased(then: () => void): void {
          job = then
        },
      }
    },
    erase(stream: string): void {
      for (const end of [...(open.get(stream) ?? [])]) end()
    },
  }
}
