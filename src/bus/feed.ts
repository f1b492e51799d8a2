// Hands readers the frames of a task: first past frames, then new ones, without a gap or a repeat. A reader that is
// behind reads and folds stored events for itself, until the window of the watched task has the rest.

import type { Log } from '../contract/stored.ts'
import type { FrameRenderer } from '../history/frame-renderer.ts'
import type { Frame } from '../history/frames.ts'
import type { EventLog } from '../log/log.ts'
import { TransientMap } from '../platform/transient.ts'
import { type Batch, createFrameWindow, sharedBatchOf } from './frame-entries.ts'
import { createFramePast, type FoldPlace, noPlace } from './past-frames.ts'
import { type WatchedTask, watchTask } from './watched-task.ts'

export type { FoldPlace } from './past-frames.ts'

export type FeedRequest = {
  stream: string
  /** Frames up to this number are left out; -1: none is left out. */
  after: number
  /** Whether the feed also ends after a frame with which the task waits for input or is paused. */
  endsAtWait: boolean
  /**
   * The feed takes this place while it reads stored events. When the stored events are long, the feed also keeps the
   * place while its reader takes their frames.
   */
  place?: FoldPlace
}

/** Takes a list of frames as soon as there is one. Returns false when it has not taken the list. It must not throw. */
type TakeAtOnce = (frames: readonly Frame[]) => boolean

export type Feed = {
  /**
   * The frames in lists, which are never empty. Feeds share the lists, so a reader must not change them. While the
   * reader waits for the next list, each list, except the last of all, is first offered to `takeAtOnce`, because a call
   * costs far less than a turn of a generator. The reader gets each list that `takeAtOnce` does not take.
   */
  frames(takeAtOnce?: TakeAtOnce): AsyncGenerator<readonly Frame[], void, undefined>
  /** Whether the feed ends with the list that was handed over last. */
  isAtEnd(): boolean
  close(): void
  /** Calls `job` when the task is erased. The feed is closed then, and its reader must send no more frames. */
  whenErased(job: () => void): void
}

type Deps = {
  log: Pick<EventLog, 'head' | 'readStream' | 'revisionOf' | 'subscribe'>
  /** Returns a renderer that has folded the task up to some point before the frame `next`. */
  rendererAt: (stream: string, next: number) => Promise<FrameRenderer>
}

/** Calls `end` when the feed has ended or its reader has left. */
async function* framesOf(
  nextBatch: () => Promise<Batch | undefined>,
  end: () => void,
): ReturnType<Feed['frames']> {
  try {
    for (let batch = await nextBatch(); batch !== undefined; batch = await nextBatch()) {
      if (batch.frames.length > 0) yield batch.frames
    }
  } finally {
    end()
  }
}

const createFeed = (
  deps: Deps,
  task: WatchedTask,
  { stream, after, endsAtWait, place = noPlace }: FeedRequest,
): Feed => {
  const { broadcast } = task
  /** The next list of the reader. While there is one, the subscriber is full. */
  let next: Batch | undefined
  let failure: { error: unknown } | undefined
  let isAtEnd = false
  let isClosed = false
  let takeAtOnce: TakeAtOnce = () => false
  let wake = () => {}
  let onErased = () => {}

  const subscriber = broadcast.subscribe({
    past: createFramePast({ ...deps, stream, place, onEnd: task.begin }),
    position: after,
    take(entries) {
      const { position } = subscriber
      const batch = sharedBatchOf(entries, task.statusFrom(position), position, endsAtWait)
      const { frames, ended } = batch
      subscriber.position = frames.at(-1)?.sequence_number ?? subscriber.position
      if (!ended && (frames.length === 0 || takeAtOnce(frames))) return true
      next = batch
      wake()
      return false
    },
    onFault(error) {
      failure = { error }
      wake()
    },
  })
  const close = () => {
    if (isClosed) return
    isClosed = true
    broadcast.close(subscriber)
    leave()
    wake()
  }
  const leave = task.join(() => {
    close()
    onErased()
  })

  /** The next list of the reader; undefined: the feed has ended. */
  const nextBatch = async (): Promise<Batch | undefined> => {
    if (isAtEnd) return undefined
    broadcast.resume(subscriber)
    await new Promise<void>(resolve => {
      wake = resolve
      if (next !== undefined || failure !== undefined || isClosed) resolve()
    })
    if (isClosed) return undefined
    if (failure !== undefined) throw failure.error
    const batch = next as Batch
    next = undefined
    isAtEnd = batch.ended
    return batch
  }
  return {
    frames(atOnce = takeAtOnce) {
      takeAtOnce = atOnce
      return framesOf(nextBatch, () => {
        close()
        place.release()
      })
    },
    close,
    isAtEnd: () => isAtEnd,
    whenErased(job) {
      onErased = job
    },
  }
}

export const createFeeds = (deps: Deps) => {
  /** The tasks that have open feeds, by stream. */
  const watched = new TransientMap<string, WatchedTask>()
  const watch = (stream: string): WatchedTask => {
    const task = watched.get(stream) ?? watchTask(deps.log, stream, () => watched.delete(stream))
    watched.set(stream, task)
    return task
  }
  return {
    /** Reading the frames throws DamagedEvent when a stored event does not give the frames that its header counts. */
    open: (request: FeedRequest): Feed => createFeed(deps, watch(request.stream), request),
    /** Follows a task whose stream does not exist yet, so there is nothing to read first. */
    openNew(request: FeedRequest, renderer: FrameRenderer): Feed {
      const task = watch(request.stream)
      const feed = createFeed(deps, task, request)
      task.begin(renderer, createFrameWindow(renderer.view.seq), true)
      return feed
    },
    /** Ends the feeds of a task, since it was erased. */
    erase: (stream: string): void => watched.get(stream)?.erase(),
  }
}

/** The number that the next frame of a task will have: one after its last. */
export const nextFrame = async (log: Log, stream: string): Promise<number> => {
  const last = await log.lastOf(stream)
  return (last?.header.seq ?? 0) + (last?.header.frames ?? 0)
}
