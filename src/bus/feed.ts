// The frames of one task: past first, then live, without a gap or a repeat.
import type { Log, Recorded } from '../contract/stored.ts'
import { isTerminal } from '../contract/wire.ts'
import type { Frame } from '../history/frames.ts'
import type { TaskView } from '../history/task-view.ts'
import { createTeller } from '../history/telling.ts'
import type { Live, Watch } from './live.ts'

export type FeedWish = {
  stream: string
  /** Frames with this number and lower ones are left out; -1: all. */
  after: number
  /** Ends after a frame that leaves the task at rest: true also when it only waits or is paused. */
  endsAtWait: boolean
}

export type Feed = {
  frames(): AsyncGenerator<Frame[], void, undefined>
  close(): void
}

const endOf = (view: TaskView, endsAtWait: boolean): boolean =>
  isTerminal(view.status) || (endsAtWait && (view.status === 'input-required' || view.status === 'paused'))

async function* eventsOf(log: Log, watch: Watch, stream: string, isNew: boolean): AsyncGenerator<Recorded[]> {
  let revision = -1
  let look = !isNew
  for (;;) {
    if (look) {
      for await (const page of log.readStream(stream, revision)) {
        revision = page.at(-1)?.header.revision ?? revision
        yield page
      }
    }
    const events = await watch.next()
    if (events === undefined) return
    const first = events === 'missed' ? undefined : events[0]
    // Not the event that comes next: some were seen already, or some went by. The log knows.
    look = first?.header.revision !== revision + 1
    if (look || events === 'missed') continue
    revision = events.at(-1)?.header.revision ?? revision
    yield events
  }
}

/**
 * Follows a task. `isNew` says that its stream does not exist yet, so there is nothing to read first.
 * Throws DamagedEvent when what is stored does not give the frames that it was numbered for.
 */
export const openFeed = (
  { log, live }: { log: Log; live: Live },
  { stream, after, endsAtWait }: FeedWish,
  isNew = false,
): Feed => {
  const watch = live.watch(stream)
  async function* frames(): AsyncGenerator<Frame[], void, undefined> {
    const { view, tell } = createTeller(log.readStream)
    try {
      for await (const events of eventsOf(log, watch, stream, isNew)) {
        const told: Frame[] = []
        let ended = false
        for (const event of events) {
          const frames = tell(event)
          for (const frame of Array.isArray(frames) ? frames : await frames) {
            if (frame.sequence_number > after) told.push(frame)
          }
          // The frame that ends it is a new one: a wait that was over before the cursor ends nothing.
          ended = endOf(view, endsAtWait) && (view.seq > after + 1 || isTerminal(view.status))
          if (ended) break
        }
        if (told.length > 0) yield told
        if (ended) return
      }
    } finally {
      watch.close()
    }
  }
  return { frames, close: () => watch.close() }
}

/** The number that the next frame of a task will have: one after its last. */
export const nextFrame = async (log: Log, stream: string): Promise<number> => {
  const last = await log.lastOf(stream)
  return (last?.header.seq ?? 0) + (last?.header.frames ?? 0)
}

/** The stored frames of a task after a number, at most `limit` of them, and whether there are more. */
export const readFrames = async (
  log: Log,
  stream: string,
  after: number,
  limit: number,
): Promise<{ frames: Frame[]; more: boolean }> => {
  const { tell } = createTeller(log.readStream)
  const frames: Frame[] = []
  for await (const page of log.readStream(stream)) {
    for (const event of page) {
      for (const frame of await tell(event)) if (frame.sequence_number > after) frames.push(frame)
      if (frames.length > limit) return { frames: frames.slice(0, limit), more: true }
    }
  }
  return { frames, more: false }
}
