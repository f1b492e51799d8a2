// The frames of one task: past first, then live, without a gap or a repeat.
import { isLongerThan } from '../contract/length.ts'
import type { Log, Recorded } from '../contract/stored.ts'
import { isTerminal } from '../contract/wire.ts'
import type { Frame } from '../history/frames.ts'
import type { TaskView } from '../history/task-view.ts'
import { createTeller } from '../history/telling.ts'
import type { Live, Watch } from './live.ts'

/** A place for folding what is stored: memory and time of which there is not enough for everybody at once. */
export type FoldPlace = { isTaken(): boolean; enter(): Promise<void>; leave(): void }

export type FeedWish = {
  stream: string
  /** Frames with this number and lower ones are left out; -1: all. */
  after: number
  /** Ends after a frame that leaves the task at rest: true also when it only waits or is paused. */
  endsAtWait: boolean
  /** Taken while stored events are read, and kept meanwhile once they were long. */
  place?: FoldPlace
}

/** A feed that has folded less is light: its place is free while its reader takes what it was told, characters. */
const lightAtMost = 256 * 1024

export type Feed = {
  frames(): AsyncGenerator<Frame[], void, undefined>
  close(): void
}

const endOf = (view: TaskView, endsAtWait: boolean): boolean =>
  isTerminal(view.status) || (endsAtWait && (view.status === 'input-required' || view.status === 'paused'))

const noPlace: FoldPlace = { isTaken: () => true, async enter() {}, leave() {} }

async function* eventsOf(
  log: Log,
  watch: Watch,
  { stream, place = noPlace }: FeedWish,
  isNew: boolean,
): AsyncGenerator<Recorded[]> {
  let revision = -1
  let look = !isNew
  let isHeavy = false
  for (;;) {
    if (look) {
      await place.enter()
      for await (const page of log.readStream(stream, revision)) {
        revision = page.at(-1)?.header.revision ?? revision
        isHeavy ||= isLongerThan(page, lightAtMost)
        if (!isHeavy) place.leave()
        yield page
        await place.enter()
      }
      place.leave()
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
export const openFeed = ({ log, live }: { log: Log; live: Live }, wish: FeedWish, isNew = false): Feed => {
  const { stream, after, endsAtWait } = wish
  const watch = live.watch(stream)
  async function* frames(): AsyncGenerator<Frame[], void, undefined> {
    const { view, tell } = createTeller(log.readStream)
    try {
      for await (const events of eventsOf(log, watch, wish, isNew)) {
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
      wish.place?.leave()
    }
  }
  return { frames, close: () => watch.close() }
}

/** The number that the next frame of a task will have: one after its last. */
export const nextFrame = async (log: Log, stream: string): Promise<number> => {
  const last = await log.lastOf(stream)
  return (last?.header.seq ?? 0) + (last?.header.frames ?? 0)
}

/** The stored frames of a task after a number. */
export async function* storedFrames(
  read: Log['readStream'],
  stream: string,
  after: number,
): AsyncGenerator<Frame> {
  const { tell } = createTeller(read)
  for await (const page of read(stream)) {
    for (const event of page) {
      for (const frame of await tell(event)) if (frame.sequence_number > after) yield frame
    }
  }
}
