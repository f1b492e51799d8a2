// Does long work for callers in slices. Between two slices the event loop serves all other work. A slice is a place for
// one turn of the event loop, so callers take turns, however much work one of them has.
import type { Log } from '../contract/stored.ts'
import { yieldToLoop } from '../platform/loop.ts'
import { createPlaces } from './places.ts'

/** Resolves when the next slice of work for this caller may begin. */
export type Turn = (caller: string) => Promise<void>

export const createSlices = (): Turn => {
  const { hold } = createPlaces({ places: 1, perUser: 1 })
  return caller => hold(caller, yieldToLoop)
}

/** Resolves at once while the slice lasts. At the end of a slice it resolves when the caller's next slice may begin. */
export type Pause = () => Promise<void>

/** The length of a slice in milliseconds. A slice takes longer only if a single event or text does. */
const sliceMs = 3

/** Makes the pauses of one piece of work. `check` throws if nobody needs the work any more. `ms`: the length of a slice. */
export const createPause = (turn: () => Promise<void>, check: () => void, ms = sliceMs): Pause => {
  let since = Number.NEGATIVE_INFINITY
  return async () => {
    if (performance.now() - since < ms) return
    await turn()
    check()
    since = performance.now()
  }
}

/** The pause for work in this process that no caller over the network waits for. */
export const localPause = (): Pause => createPause(yieldToLoop, () => {})

/**
 * The pause for long work that no caller waits for, such as an erasure. Its slices are short, since each step of a
 * request may wait for one of them.
 */
export const backgroundPause = (): Pause => createPause(yieldToLoop, () => {}, 1)

async function* paused<Page>(pages: AsyncIterable<Page>, pause: Pause): AsyncGenerator<Page> {
  await pause()
  for await (const page of pages) {
    yield page
    await pause()
  }
}
/** Reads a stream of the log with pauses. */
export const readWithPauses =
  (read: Log['readStream'], pause: Pause): Log['readStream'] =>
  (stream, after) =>
    paused(read(stream, after), pause)
