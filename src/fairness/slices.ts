// Long work for callers, in slices. Between two slices the event loop serves everybody else, and callers take turns,
// however much work one of them has.

import type { Log } from '../contract/stored.ts'

/** Resolves when the next slice of work for this caller may begin. */
export type Turn = (caller: string) => Promise<void>

export const createSlices = (): Turn => {
  /** Waiting work by caller; the first caller is next. */
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

/** Resolves after the event loop has served everything that waits for it. */
export const nextTurn = () => new Promise<void>(resolve => setImmediate(resolve))

/** Resolves at once within a slice; at the end of a slice it resolves after the turns of others. */
export type Pause = () => Promise<void>

/** Milliseconds of a slice. Others wait no longer, unless a single event or text takes longer. */
const sliceMs = 3

/** `check` throws when nobody needs the work any more. */
export const createPause = (turn: () => Promise<void>, check: () => void): Pause => {
  let since = Number.NEGATIVE_INFINITY
  return async () => {
    if (performance.now() - since < sliceMs) return
    await turn()
    check()
    since = performance.now()
  }
}

/** Reads a stream of the log with pauses. */
export const readWithPauses = (read: Log['readStream'], pause: Pause): Log['readStream'] =>
  async function* (stream, after) {
    await pause()
    for await (const page of read(stream, after)) {
      yield page
      await pause()
    }
  }
