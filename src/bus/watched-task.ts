// Watches one task for all its feeds: its new events are read, folded and rendered into frames once. The watched task
// begins when the first of its feeds has read all stored events, and goes on with the fold of that feed.
import type { Lifecycle } from '../contract/charts/task-chart.ts'
import { isTerminal } from '../contract/wire.ts'
import type { FrameRenderer } from '../history/frame-renderer.ts'
import type { Subscription } from '../log/follower/follower.ts'
import type { EventLog } from '../log/log.ts'
import { yieldToLoop } from '../platform/loop.ts'
import { createBroadcast } from './broadcast.ts'
import { createFrameWindow, type Entry, entriesOf, framed } from './frame-entries.ts'
import type { Window } from './window.ts'

/** `onEnd` is called when the last feed has left. */
export const watchTask = (log: Pick<EventLog, 'subscribe'>, stream: string, onEnd: () => void) => {
  const broadcast = createBroadcast<Entry>({
    window: createFrameWindow(Number.POSITIVE_INFINITY), // has nothing, so that all feeds read the log
    pause: yieldToLoop,
  })
  /** Ends the feeds of the task, if it is erased. */
  const feeds = new Set<() => void>()
  let subscription: Subscription | undefined
  let status: Lifecycle = 'created'
  /** The number of the newest frame that is in the window or was there. */
  let upTo = Number.NEGATIVE_INFINITY

  return {
    broadcast,
    /**
     * The status of the task after the newest entry in the window; undefined: this entry comes before the frame `after`,
     * so the task may have another status by then.
     */
    statusFrom: (after: number): Lifecycle | undefined =>
      after > upTo && !isTerminal(status) ? undefined : status,
    /**
     * Begins, unless the watched task has begun. The renderer has rendered every event whose frames are in the window.
     * `isNew`: the task has no events yet.
     */
    begin(renderer: FrameRenderer, window: Window<Entry>, isNew = false): void {
      if (subscription !== undefined) return
      status = renderer.view.status
      upTo = renderer.view.seq - 1
      broadcast.goOn(window)
      const publish = (entries: readonly Entry[]) => {
        const last = entries.at(-1)
        if (last === undefined) return
        status = last.status
        upTo = last.next - 1
        broadcast.publish(framed(entries), last.next - 1)
        return broadcast.served()
      }
      const after = renderer.view.revision
      subscription = log.subscribe({ stream, after, isNew }, events => {
        const entries = entriesOf(renderer, events)
        return entries instanceof Promise ? entries.then(publish) : publish(entries)
      })
      subscription.done.catch(error => {
        subscription = undefined
        broadcast.fail(error)
      })
    },
    /** `end` ends a feed. The returned function must be called when the feed has ended. */
    join(end: () => void): () => void {
      feeds.add(end)
      return () => {
        if (!feeds.delete(end) || feeds.size > 0) return
        onEnd()
        void subscription?.stop().catch(() => {})
      }
    },
    /** Ends all feeds, since the task was erased. */
    erase(): void {
      for (const end of [...feeds]) end()
    },
  }
}
export type WatchedTask = ReturnType<typeof watchTask>
