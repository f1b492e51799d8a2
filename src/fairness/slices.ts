// Long work for callers, slice by slice: between two slices the event loop turns, so that everybody else is served, and
// callers take turns, however much one of them asks for.

import type { Log } from '../contract/stored.ts'

/** Resolves when a slice of work for this caller may be done. */
export type Turn = (caller: string) => Promise<void>

export const createSlices = (): Turn => {
  /** What waits, by caller: the first one's turn is next. */
  const waiting = new Map<string, (() => void)[]>()
  const next = () => {
    const [first] = waiting
    if (first === undefined) return
    const [caller, [go, ...others]] = first
    waiting.delete(caller)
    if (others.length > 0) waiting.set(caller, others)
    if (waiting.size > 0) setImmediate(next)
    go?.()
  }
  return caller =>
    new Promise(resolve => {
      if (waiting.size === 0) setImmediate(next)
      const own = waiting.get(caller)
      if (own === undefined) waiting.set(caller, [resolve])
      else own.push(resolve)
    })
}

/** Everybody who waits for the event loop is served before it resolves. */
export const nextTurn = () => new Promise<void>(resolve => setImmediate(resolve))

/** Resolves at once within a slice, and after the others' turns when the slice has been long enough. */
export type Pause = () => Promise<void>

/** Milliseconds: nobody else waits longer for a slice, but where one event or one text alone takes longer. */
const sliceMs = 3

/** `check` throws when the work is for nobody any more. */
export const createPause = (turn: () => Promise<void>, check: () => void): Pause => {
  let since = Number.NEGATIVE_INFINITY
  return async () => {
    if (performance.now() - since < sliceMs) return
    await turn()
    check()
    since = performance.now()
  }
}

/** A stream of the log, read with pauses. */
export const readWithPauses = (read: Log['readStream'], pause: Pause): Log['readStream'] =>
  async function* (stream, after) {
    await pause()
    for await (const page of read(stream, after)) {
      yield page
      await pause()
    }
  }
