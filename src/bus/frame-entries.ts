// The frames of a task, event by event, and which of them one reader gets.

import type { Lifecycle } from '../contract/charts/task-chart.ts'
import { isLongerThan } from '../contract/json/length.ts'
import type { Recorded } from '../contract/stored.ts'
import { isTerminal } from '../contract/wire.ts'
import type { FrameRenderer } from '../history/frame-renderer.ts'
import type { Frame } from '../history/frames.ts'
import type { FramedTask } from '../history/task-view.ts'
import { createMemo } from '../platform/memo.ts'
import { createWindow } from './window.ts'

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

/** The entries that have frames. Only they can be in a window, since the others have no number of their own. */
export const framed = (entries: readonly Entry[]): readonly Entry[] =>
  entries.every(({ frames }) => frames.length > 0)
    ? entries
    : entries.filter(({ frames }) => frames.length > 0)

/** A window keeps frames with at most this many characters. */
const lengthInMemory = 64 * 1024
const lengthOf = ({ frames }: Entry): number => {
  for (let max = 512; max < lengthInMemory; max *= 2) if (!isLongerThan(frames, max)) return max
  return lengthInMemory
}
/** A window with the frames from the number `next` on. */
export const createFrameWindow = (next: number) =>
  createWindow<Entry>(
    { numberOf: entry => entry.next - 1, entriesAtMost: 256, lengthAtMost: lengthInMemory, lengthOf },
    next - 1,
  )

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

const nothing: Batch = { frames: [], ended: false }
const theEnd: Batch = { frames: [], ended: true }
type Shared = { after: number; endsAtWait: boolean; batch: Batch }
const shared = createMemo<readonly Entry[], Shared[]>('batches')
/**
 * Does what `batchOf` does. Readers that need the same frames of the same list get the same batch. `status`: the status of
 * the task after these entries; undefined: not known. Without entries, a task that waits stays as it is after the reader's
 * frame, so with `endsAtWait` the reader's stream ends.
 */
export const sharedBatchOf = (
  entries: readonly Entry[],
  status: Lifecycle | undefined,
  after: number,
  endsAtWait: boolean,
): Batch => {
  if (entries.length === 0) {
    return status !== undefined && (isTerminal(status) || (endsAtWait && isWait(status))) ? theEnd : nothing
  }
  const known = shared.get(entries) ?? []
  for (const one of known) if (one.after === after && one.endsAtWait === endsAtWait) return one.batch
  const batch = batchOf(entries, after, endsAtWait)
  known.push({ after, endsAtWait, batch })
  shared.set(entries, known)
  return batch
}
