// One watched task: its events are read, folded and rendered into frames once for all its followers. The watched task
// waits for no follower: a follower finds frames that it has not taken in the window. A slow follower reads them from
// the log.
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
