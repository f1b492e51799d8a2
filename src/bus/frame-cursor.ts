// Keeps how far a reader of a task's frames is, and waits for more frames.
import type { Frame } from '../history/frames.ts'
import type { WatchedTask } from './watched-task.ts'
import { type Batch, batchOf, type Entry } from './window.ts'

/** Takes a list of frames as soon as there is one. Returns false when it has not taken the list. */
export type TakeAtOnce = (frames: readonly Frame[]) => boolean

/** `after`: the number of the last frame that the reader has. */
export const createFrameCursor = (after: number, endsAtWait: boolean) => {
  let last = after
  let isAtEnd = false
  /** The next frames, if the watched task still keeps them. Throws the error with which reading the task ended. */
  const nextIn = (task: WatchedTask | undefined): Batch | undefined => task?.after(last, endsAtWait)
  /** Moves the cursor behind a batch. Returns the frames of the batch, if it has any. */
  const pass = ({ frames, ended }: Batch): readonly Frame[] | undefined => {
    last = frames.at(-1)?.sequence_number ?? last
    isAtEnd = ended
    return frames.length > 0 ? frames : undefined
  }
  /** True when nothing is left for the reader itself: `takeAtOnce` took the frames, or there are none. */
  const isServed = (task: WatchedTask, takeAtOnce: TakeAtOnce): boolean => {
    try {
      const batch = nextIn(task)
      if (batch === undefined || batch.ended) return false
      if (batch.frames.length > 0 && !takeAtOnce(batch.frames)) return false
      pass(batch)
      return true
    } catch {
      return false // the reader will get the same error
    }
  }

  return {
    last: () => last,
    isAtEnd: () => isAtEnd,
    nextIn,
    pass,
    /** The frames in these entries that the reader does not have yet. */
    nextOf: (entries: readonly Entry[]): Batch => batchOf(entries, last, endsAtWait),
    /**
     * Calls `done` once, when the reader itself must take frames, or gets the end or an error. Until then, `takeAtOnce`
     * takes the frames that come. The returned function ends the wait.
     */
    wait(task: WatchedTask, takeAtOnce: TakeAtOnce, done: () => void): () => void {
      const follower = () => {
        if (isServed(task, takeAtOnce)) return true
        done()
        return false
      }
      task.whenMore(follower)
      return () => task.forget(follower)
    },
  }
}
