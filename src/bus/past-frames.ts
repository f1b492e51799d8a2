// Reads the stored frames of a task for one reader. Reading begins at an event before the wanted frame, and ends with
// the last stored event.
import { isLongerThan } from '../contract/json/length.ts'
import type { Recorded } from '../contract/stored.ts'
import type { FrameRenderer } from '../history/frame-renderer.ts'
import type { Frame } from '../history/frames.ts'
import type { EventLog } from '../log/log.ts'
import type { Page, Past } from './broadcast.ts'
import { createFrameWindow, type Entry, entriesOf, framed } from './frame-entries.ts'
import type { Window } from './window.ts'

/** A place for folding stored events. The number of places is limited, since folding takes memory and time. */
export type FoldPlace = { isTaken(): boolean; acquire(): Promise<void>; release(): void }
export const noPlace: FoldPlace = { isTaken: () => true, async acquire() {}, release() {} }

/** A reader whose events have at most this many characters gives its place back while its client takes the frames. */
const lightAtMost = 256 * 1024

type Parts = {
  log: Pick<EventLog, 'head' | 'readStream' | 'revisionOf'>
  /** Returns a renderer that has folded the task up to some point before the frame `next`. */
  rendererAt: (stream: string, next: number) => Promise<FrameRenderer>
  stream: string
  /** Held while stored events are read and folded. */
  place: FoldPlace
  /** Called when all stored events are read: the renderer has folded them, and the window has the newest frames. */
  onEnd: (renderer: FrameRenderer, window: Window<Entry>) => void
}

type Reading = { isClosed: boolean }
/** Reads the frames from the number `next` on. */
async function* read(
  { log, rendererAt, stream, place, onEnd }: Parts,
  next: number,
  reading: Reading,
): AsyncGenerator<Page<Entry>, void, undefined> {
  const renderer = await rendererAt(stream, next)
  const window = createFrameWindow(renderer.view.seq)
  const stored = log.readStream(stream, renderer.view.revision)[Symbol.asyncIterator]()
  let isHeavy = false
  let isLast = false
  try {
    do {
      await place.acquire()
      if (reading.isClosed) return
      const { value } = await stored.next()
      const page: Recorded[] = value ?? []
      const head = log.head()
      const events = page.filter(({ position }) => position <= head)
      isLast = events.length < page.length // what a failed write has left behind comes with its commit, if it ever does
      if (events.length === 0) break
      isHeavy ||= isLongerThan(events, lightAtMost)
      if (!isHeavy) place.release()
      const entries = await entriesOf(renderer, events)
      const upTo = renderer.view.seq - 1
      window.add(framed(entries), upTo)
      yield { entries, upTo }
    } while (!isLast && renderer.view.revision < log.revisionOf(stream))
    if (!reading.isClosed) onEnd(renderer, window)
  } finally {
    place.release()
  }
}

/** The past of one feed. It keeps its fold from page to page, so that each event is folded once. */
export const createFramePast = (parts: Parts): Past<Entry> => {
  let reading: Reading = { isClosed: false }
  let pages: AsyncGenerator<Page<Entry>, void, undefined> | undefined
  return {
    async next(after) {
      if (pages === undefined) {
        reading = { isClosed: false }
        pages = read(parts, after + 1, reading)
      }
      const { value } = await pages.next()
      if (value !== undefined) return value
      pages = undefined
      return { entries: [], upTo: after } // the window of the watched task has what follows
    },
    close() {
      reading.isClosed = true // for a reader that waits for its place or for the log
      void pages?.return()
      pages = undefined
    },
  }
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
