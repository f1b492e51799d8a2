// Keeps the newest frames of a task for its followers. Followers that need the same frames get the same list. The
// window is limited: a follower that needs older frames reads the log.
import { isLongerThan } from '../contract/length.ts'
import type { Recorded } from '../contract/stored.ts'
import type { Lifecycle } from '../contract/task-chart.ts'
import { isTerminal } from '../contract/wire.ts'
import type { FrameRenderer } from '../history/frame-renderer.ts'
import type { Frame } from '../history/frames.ts'
import type { FramedTask } from '../history/task-view.ts'

/** The frames of one event, the status of the task after this event, and the number of the next frame. */
export type Entry = { frames: Frame[]; status: Lifecycle; next: number }
/** The frames after a number. `ended`: the reader gets no frames after these. */
export type Batch = { frames: readonly Frame[]; ended: boolean }

const entryOf = ({ status, seq }: FramedTask, frames: Frame[]): Entry => ({ frames, status, next: seq })

/** Renders events. Returns a promise only when the log must be read to render a frame. Throws DamagedEvent. */
export const entriesOf = (
  { view, render }: FrameRenderer,
  events: readonly Recorded[],
  entries: Entry[] = [],
): Entry[] | Promise<Entry[]> => {
  for (const [n, event] of events.entries()) {
    const frames = render(event)
    if (!Array.isArray(frames)) {
      return frames.then(late => {
        entries.push(entryOf(view, late))
        return entriesOf({ view, render }, events.slice(n + 1), entries)
      })
    }
    entries.push(entryOf(view, frames))
  }
  return entries
}

const isWait = (status: Lifecycle): boolean => status === 'input-required' || status === 'paused'

/**
 * The frames of these entries after a number, up to the end of a reader's stream: the end of the task or, with
 * `endsAtWait`, a new frame with which the task waits for input or is paused.
 */
export const batchOf = (entries: readonly Entry[], after: number, endsAtWait: boolean): Batch => {
  const frames: Frame[] = []
  for (const { frames: own, status, next } of entries) {
    const isNew = next > after + 1
    if (isNew) for (const frame of own) if (frame.sequence_number > after) frames.push(frame)
    if (isTerminal(status) || (isNew && endsAtWait && isWait(status))) return { frames, ended: true }
  }
  return { frames, ended: false }
}

/** A window keeps at most this many entries. Each event with frames has one entry. */
const keptEntries = 256
/** A window keeps frames with at most this many characters. */
const keptLength = 64 * 1024

/** `start`: the status of the task before the first event that is pushed, and the number of its next frame. */
export const createWindow = (start: Pick<FramedTask, 'status' | 'seq'>) => {
  let entries: { entry: Entry; length: number }[] = []
  let length = 0
  /** The number of the first frame that is kept; if none is kept, the number of the next frame. */
  let from = start.seq
  let status = start.status
  /** The batches that were returned since the last push, so that readers with the same frames get the same list. */
  const answered = new Map<string, Batch>()

  const lengthOf = (frames: Frame[]): number => {
    for (let max = 512; max < keptLength; max *= 2) if (!isLongerThan(frames, max)) return max
    return keptLength
  }
  /** Drops old entries. The last entries, `newest` in number, always stay: readers have waited for them. */
  const shorten = (newest: number): void => {
    let drop = 0
    while (drop < entries.length - newest && (entries.length - drop > keptEntries || length > keptLength)) {
      const { entry, length: own } = entries[drop] as (typeof entries)[number]
      length -= own
      from = entry.next
      drop++
    }
    if (drop > 0) entries = entries.slice(drop)
  }

  return {
    /** Adds the entries of events that came together. */
    push(newest: readonly Entry[]): void {
      answered.clear()
      status = newest.at(-1)?.status ?? status
      const before = entries.length
      for (const entry of newest) {
        if (entry.frames.length === 0) continue
        const own = lengthOf(entry.frames)
        entries.push({ entry, length: own })
        length += own
      }
      shorten(entries.length - before)
    },
    /** The frames after a number; undefined: not all of them are kept. */
    after(after: number, endsAtWait: boolean): Batch | undefined {
      if (after + 1 < from) return undefined
      const key = `${after} ${endsAtWait}`
      const known = answered.get(key)
      if (known !== undefined) return known
      const first = entries.findIndex(({ entry }) => entry.next > after + 1)
      const newer = first === -1 ? [] : entries.slice(first).map(({ entry }) => entry)
      const batch = batchOf(newer, after, endsAtWait)
      const found = newer.length === 0 && isTerminal(status) ? { ...batch, ended: true } : batch
      answered.set(key, found)
      return found
    },
  }
}
export type Window = ReturnType<typeof createWindow>
