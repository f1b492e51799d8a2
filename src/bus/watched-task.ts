// Watches one task: its events are read, folded and rendered into frames once for all its followers. The watched task
// waits for no follower. The window keeps the newest frames, and a follower that is too slow for the window reads the
// log. Many followers are served in several turns of the event loop, so that nobody else waits until all are served.
// Then the followers get the events that were stored meanwhile, all together.
import { nextTurn } from '../fairness/slices.ts'
import type { FrameRenderer } from '../history/frame-renderer.ts'
import type { EventLog } from '../log/log.ts'
import { type Entry, entriesOf, type Window } from './window.ts'

type Parts = {
  log: Pick<EventLog, 'subscribe'>
  stream: string
  /** The renderer of the task. It has rendered every event whose frames were put into the window. */
  teller: FrameRenderer
  window: Window
  isNew: boolean
  /** Called when no feed may join the task any more. */
  onEnd: () => void
}

/**
 * Is called whenever there are more frames or reading has failed, until it returns false. It must not throw.
 */
export type Follower = () => boolean

/** The largest number of followers that are served in one turn of the event loop. */
const atOnce = 128

export const watchTask = ({ log, stream, teller, window, isNew, onEnd }: Parts) => {
  const waiting = new Set<Follower>()
  let failure: { error: unknown } | undefined
  let followers = 0

  /** Calls all waiting followers. Returns a promise when they are too many for one turn. */
  const wake = (called = [...waiting]): Promise<void> | undefined => {
    for (const follower of called.slice(0, atOnce))
      if (waiting.has(follower) && !follower()) waiting.delete(follower)
    return called.length > atOnce ? nextTurn().then(() => wake(called.slice(atOnce))) : undefined
  }
  const publish = (entries: readonly Entry[]) => {
    window.push(entries)
    return wake()
  }
  const subscription = log.subscribe({ stream, after: teller.view.revision, isNew }, events => {
    const entries = entriesOf(teller, events)
    if (entries instanceof Promise) return entries.then(publish)
    return publish(entries)
  })
  subscription.done.catch(error => {
    failure = { error }
    onEnd()
    void wake()
  })

  return {
    join(): void {
      followers++
    },
    leave(): void {
      if (--followers > 0) return
      onEnd()
      void subscription.stop().catch(() => {})
    },
    /**
     * The frames after a number; undefined: the window has not all of them, so they must be read from the log. Throws
     * the error with which reading the task ended.
     */
    after(after: number, endsAtWait: boolean) {
      const batch = window.after(after, endsAtWait)
      if (failure !== undefined && (batch === undefined || batch.frames.length === 0)) throw failure.error
      return batch
    },
    whenMore: (follower: Follower) => void waiting.add(follower),
    forget: (follower: Follower) => void waiting.delete(follower),
  }
}
export type WatchedTask = ReturnType<typeof watchTask>
