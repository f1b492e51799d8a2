// Reads the stored frames of a task for one reader. Reading begins at an event before the wanted frame, and ends with
// the last stored event.
import { isLongerThan } from '../contract/length.ts'
import type { Recorded } from '../contract/stored.ts'
import type { FrameRenderer } from '../history/frame-renderer.ts'
import type { Frame } from '../history/frames.ts'
import { type Batches, createBatches } from '../log/batches.ts'
import type { EventLog } from '../log/log.ts'

/** A place for folding stored events. The number of places is limited, since folding takes memory and time. */
export type FoldPlace = { isTaken(): boolean; acquire(): Promise<void>; release(): void }
export const noPlace: FoldPlace = { isTaken: () => true, async acquire() {}, release() {} }

/** A reader whose events have at most this many characters gives its place back while its client takes the frames. */
const lightAtMost = 256 * 1024

/**
 * The stored events of a task after a revision, up to the last stored event. The reader holds the place while it reads.
 */
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
          await place.acquire()
          if (isClosed()) place.release() // closing the reader could not release a place that it did not have yet
        },
        caughtUp() {
          place.release()
          batches.close()
        },
      },
      events => {
        isHeavy ||= isLongerThan(events, lightAtMost)
        if (!isHeavy) place.release()
        return handle(events)
      },
    ),
  )
  return batches
}

/**
 * The stored frames after a number, for a reader that does not wait for new frames. `read` is called with the revision
 * up to which the teller has folded the task.
 */
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
