// Hands readers the frames of a task: first past frames, then new ones, without a gap or a repeat. All feeds of a task
// that have caught up share one watched task, whose events are read and rendered once for all. A feed that is behind
// reads the log for itself until it has caught up.

import type { Log } from '../contract/stored.ts'
import type { FrameRenderer } from '../history/frame-renderer.ts'
import type { Frame } from '../history/frames.ts'
import type { EventLog } from '../log/log.ts'
import { createTransientMap } from '../platform/transient.ts'
import { createFrameCursor, type TakeAtOnce } from './frame-cursor.ts'
import { createOpenFeeds } from './open-feeds.ts'
import { type FoldPlace, noPlace, pastEvents } from './past-frames.ts'
import { type WatchedTask, watchTask } from './watched-task.ts'
import { type Batch, createWindow, entriesOf, type Window } from './window.ts'

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

export type Feed = {
  /**
   * The frames in lists, which are never empty. Feeds share the lists, so a reader must not change them. While the
   * reader waits for the next list, new lists, except the last of all, are first offered to `takeAtOnce`, because a
   * call costs far less than a turn of a generator. The reader gets each list that `takeAtOnce` does not take.
   */
  frames(takeAtOnce?: TakeAtOnce): AsyncGenerator<readonly Frame[], void, undefined>
  /** Whether the feed ends with the list that was handed over last. */
  isAtEnd(): boolean
  close(): void
  /** Calls `job` when the task is erased. The feed is closed then, and its reader must send no more frames. */
  whenErased(job: () => void): void
}

type Deps = {
  log: Pick<EventLog, 'subscribe'>
  /** Returns a renderer that has folded the task up to some point before the frame `next`. */
  rendererAt: (stream: string, next: number) => Promise<FrameRenderer>
}

/** The watched tasks, by stream. Each has one subscription to the log. */
const createWatchedTasks = ({ log }: Pick<Deps, 'log'>) => {
  const watched = createTransientMap<string, WatchedTask>()
  return {
    find: (stream: string) => watched.get(stream),
    begin(stream: string, teller: FrameRenderer, window: Window, isNew = false): WatchedTask {
      const onEnd = () => {
        if (watched.get(stream) === task) watched.delete(stream)
      }
      const task: WatchedTask = watchTask({ log, stream, teller, window, isNew, onEnd })
      watched.set(stream, task)
      return task
    },
  }
}

type WatchedTasks = ReturnType<typeof createWatchedTasks>
type OpenFeeds = ReturnType<typeof createOpenFeeds>

/** `begun`: the watched task, if it was created for this feed. */
const createFeed = (
  { log, rendererAt, watched, openFeeds }: Deps & { watched: WatchedTasks; openFeeds: OpenFeeds },
  request: FeedRequest,
  begun?: WatchedTask,
): Feed => {
  const { stream, place = noPlace } = request
  const cursor = createFrameCursor(request.after, request.endsAtWait)
  let isClosed = false
  let task = begun
  let stopReading = () => {}
  let stopWaiting = () => {}
  begun?.join()

  const join = (found: WatchedTask | undefined) => {
    if (task === undefined) found?.join()
    task ??= found
  }
  const close = () => {
    if (isClosed) return
    isClosed = true
    for (const stop of [stopReading, stopWaiting, leave]) stop()
    task?.leave()
  }
  const { leave, whenErased } = openFeeds.add(stream, close)
  /** Hands over stored frames until none is left, or until the window of the watched task has all further frames. */
  async function* past(): AsyncGenerator<Batch> {
    const teller = await rendererAt(stream, cursor.last() + 1)
    if (isClosed) return
    const window = createWindow(teller.view)
    const batches = pastEvents(log, { stream, after: teller.view.revision, place, isClosed: () => isClosed })
    stopReading = batches.close
    try {
      for await (const events of batches.all()) {
        const entries = await entriesOf(teller, events)
        window.push(entries)
        yield cursor.nextOf(entries)
        join(watched.find(stream))
        if (isClosed || cursor.nextIn(task) !== undefined) return
      }
      if (!isClosed && task === undefined) join(watched.find(stream) ?? watched.begin(stream, teller, window))
    } finally {
      batches.close()
      place.release()
    }
  }
  /** Resolves when there is something for the reader, or when the feed is closed. */
  const more = (found: WatchedTask, takeAtOnce: TakeAtOnce) =>
    new Promise<void>(resolve => {
      const forget = cursor.wait(found, takeAtOnce, resolve)
      stopWaiting = () => {
        forget()
        resolve()
      }
    })

  async function* frames(takeAtOnce: TakeAtOnce = () => false) {
    try {
      while (!isClosed && !cursor.isAtEnd()) {
        join(watched.find(stream))
        const batch = cursor.nextIn(task)
        if (task === undefined || batch === undefined) {
          for await (const stored of past()) {
            const list = cursor.pass(stored)
            if (list !== undefined) yield list
            if (cursor.isAtEnd() || isClosed) return
          }
          continue
        }
        const list = cursor.pass(batch)
        if (list !== undefined) yield list
        else if (!cursor.isAtEnd()) await more(task, takeAtOnce)
      }
    } finally {
      close()
      place.release()
    }
  }
  return { frames, close, isAtEnd: cursor.isAtEnd, whenErased }
}

export const createFeeds = (deps: Deps) => {
  const watched = createWatchedTasks(deps)
  const openFeeds = createOpenFeeds()
  const feedDeps = { ...deps, watched, openFeeds }
  const follow = (request: FeedRequest, begun?: WatchedTask) => createFeed(feedDeps, request, begun)
  return {
    /** Reading the frames throws DamagedEvent when a stored event does not give the frames that its header counts. */
    open: (request: FeedRequest): Feed => follow(request),
    /** Follows a task whose stream does not exist yet, so there is nothing to read first. */
    openNew(request: FeedRequest, teller: FrameRenderer): Feed {
      return follow(request, watched.begin(request.stream, teller, createWindow(teller.view), true))
    },
    /** Ends the feeds of a task, since it was erased. */
    erase: openFeeds.erase,
  }
}

/** The number that the next frame of a task will have: one after its last. */
export const nextFrame = async (log: Log, stream: string): Promise<number> => {
  const last = await log.lastOf(stream)
  return (last?.header.seq ?? 0) + (last?.header.frames ?? 0)
}
