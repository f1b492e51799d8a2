// The frames of one task: past first, then live, without a gap or a repeat.
import { isLongerThan } from '../contract/length.ts'
import type { Log } from '../contract/stored.ts'
import { isTerminal } from '../contract/wire.ts'
import type { Frame } from '../history/frames.ts'
import type { TaskView } from '../history/task-view.ts'
import { createTeller } from '../history/telling.ts'
import { type Batches, createBatches } from '../log/batches.ts'
import type { EventLog } from '../log/log.ts'

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

/** The events of a task, from its first; the place is held while stored ones are read. */
const eventsOf = (
  log: Pick<EventLog, 'subscribe'>,
  { stream, place = noPlace }: FeedWish,
  isNew: boolean,
  isClosed: () => boolean,
): Batches => {
  let isReading = false
  let isHeavy = false
  return createBatches(handle =>
    log.subscribe(
      {
        stream,
        after: -1,
        isNew,
        async beforeRead() {
          isReading = true
          await place.enter()
          if (isClosed()) place.leave() // whoever closed it did not find it there
        },
        caughtUp() {
          isReading = false
          place.leave()
        },
      },
      events => {
        if (isReading) isHeavy ||= isLongerThan(events, lightAtMost)
        if (isReading && !isHeavy) place.leave()
        return handle(events)
      },
    ),
  )
}

/**
 * Follows a task. `isNew` says that its stream does not exist yet, so there is nothing to read first.
 * Throws DamagedEvent when what is stored does not give the frames that it was numbered for.
 */
export const openFeed = (
  log: Pick<EventLog, 'subscribe' | 'readStream'>,
  wish: FeedWish,
  isNew = false,
): Feed => {
  const { after, endsAtWait } = wish
  let isClosed = false
  const follow = () => eventsOf(log, wish, isNew, () => isClosed)
  let batches = isNew ? follow() : undefined
  const close = () => {
    isClosed = true
    batches?.close()
  }
  async function* frames(): AsyncGenerator<Frame[], void, undefined> {
    if (isClosed) return
    const { view, tell } = createTeller(log.readStream)
    batches ??= follow()
    try {
      for await (const events of batches.all()) {
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
      close()
      wish.place?.leave()
    }
  }
  return { frames, close }
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
