// The stored frames of a task for one reader, from a place near the one it asks for to what is stored last.
import { isLongerThan } from '../contract/length.ts'
import type { Recorded } from '../contract/stored.ts'
import type { FrameRenderer } from '../history/frame-renderer.ts'
import type { Frame } from '../history/frames.ts'
import { type Batches, createBatches } from '../log/batches.ts'
import type { EventLog } from '../log/log.ts'

/** A place for folding what is stored: memory and time of which there is not enough for everybody at once. */
export type FoldPlace = { isTaken(): boolean; enter(): Promise<void>; leave(): void }
export const noPlace: FoldPlace = { isTaken: () => true, async enter() {}, leave() {} }

/** A reader that has folded less is light: its place is free while what it made is taken, characters. */
const lightAtMost = 256 * 1024

/** The stored events of a task after a revision; they end where nothing more is stored. The place is held while it reads. */
export const pastEvents = (
  log: Pick<EventLog, 'subscribe'>,
  {
    stream,
    after,
    place,
    isClosed,
  }: { stream: string; after: number; place: FoldPlace; isClosed: () => boolean },
): Batches => {
  let isHeavy = false
  const batches = createBatches(handle =>
    log.subscribe(
      {
        stream,
        after,
        async beforeRead() {
          await place.enter()
          if (isClosed()) place.leave() // whoever closed it did not find it there
        },
        caughtUp() {
          place.leave()
          batches.close()
        },
      },
      events => {
        isHeavy ||= isLongerThan(events, lightAtMost)
        if (!isHeavy) place.leave()
        return handle(events)
      },
    ),
  )
  return batches
}

/** All of them after a number, for a reader that waits for nothing new. `read` begins after the fold of the teller. */
export async function* storedFrames(
  read: (after: number) => AsyncIterable<Recorded[]>,
  teller: FrameRenderer,
  after: number,
): AsyncGenerator<Frame> {
  for await (const page of read(teller.view.revision)) {
    for (const event of page) {
      for (const frame of await teller.render(event)) if (frame.sequence_number > after) yield frame
    }
  }
}
