// One task that is watched: its events are read, folded and made into frames once, for all who follow it. It waits for none of
// them: what they have not taken is in its window or, when they are slow, in the log.
import type { FrameRenderer } from '../history/frame-renderer.ts'
import type { EventLog } from '../log/log.ts'
import { type Entry, entriesOf, type Window } from './window.ts'

type Parts = {
  log: Pick<EventLog, 'subscribe'>
  stream: string
  /** Has taken every event that the window knows of. */
  teller: FrameRenderer
  window: Window
  isNew: boolean
  /** Called once: nobody is to join it any more. */
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
    /** What comes after a frame; undefined: the log has to be read. Throws what the reading of the task ended with. */
    after(after: number, endsAtWait: boolean) {
      const batch = window.after(after, endsAtWait)
      if (failure !== undefined && (batch === undefined || batch.frames.length === 0)) throw failure.error
      return batch
    },
    /** `go` is called once, when there is more. */
    whenMore: (go: () => void) => void waiting.add(go),
    forget: (go: () => void) => void waiting.delete(go),
  }
}
export type WatchedTask = ReturnType<typeof watchTask>
