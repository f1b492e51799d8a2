// One watched task: its events are read, folded and rendered into frames once, for all its followers. It waits for none
// of them: frames that a follower has not taken are in the window or, for a slow follower, in the log.
import type { FrameRenderer } from '../history/frame-renderer.ts'
import type { EventLog } from '../log/log.ts'
import { type Entry, entriesOf, type Window } from './window.ts'

type Parts = {
  log: Pick<EventLog, 'subscribe'>
  stream: string
  /** Has rendered every event that the window has got. */
  teller: FrameRenderer
  window: Window
  isNew: boolean
  /** Called when no feed may join the task any more. */
  onEnd: () => void
}

export const watchTask = ({ log, stream, teller, window, isNew, onEnd }: Parts) => {
  const waiting = new Set<() => void>()
  let failure: { error: unknown } | undefined
  let followers = 0

  const wake = () => {
    const all = [...waiting]
    waiting.clear()
    for (const go of all) go()
  }
  const publish = (entries: readonly Entry[]) => {
    window.push(entries)
    wake()
  }
  const subscription = log.subscribe({ stream, after: teller.view.revision, isNew }, events => {
    const entries = entriesOf(teller, events)
    if (entries instanceof Promise) return entries.then(publish)
    publish(entries)
    return undefined
  })
  subscription.done.catch(error => {
    failure = { error }
    onEnd()
    wake()
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
     * The frames after a number; undefined: they must be read from the log. Throws the error with which reading the
     * task ended.
     */
    after(after: number, endsAtWait: boolean) {
      const batch = window.after(after, endsAtWait)
      if (failure !== undefined && (batch === undefined || batch.frames.length === 0)) throw failure.error
      return batch
    },
    /** `go` is called once, when there are more frames or reading has failed. */
    whenMore: (go: () => void) => void waiting.add(go),
    forget: (go: () => void) => void waiting.delete(go),
  }
}
export type WatchedTask = ReturnType<typeof watchTask>
