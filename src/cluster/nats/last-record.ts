// Checks whether a stream still has the record that was handed over last. Servers that lose power may lose their newest
// records.
import type { Timers } from '../../contract/ports.ts'
import { sleep } from '../../platform/sleep.ts'
import { LostTail } from '../shared-log.ts'
import type { Ask } from './ask.ts'
import { endOfStream } from './end.ts'

export type FollowDeps = {
  name: string
  /** Whether the stream drops its oldest records. */
  drops: boolean
  ask: Ask
  timers: Timers
  /** Aborts when the log is closed. */
  closing: AbortSignal
}

/**
 * The last record is lost when the stream ends before it for this many milliseconds. A new leader may learn the end
 * late.
 */
const lostMs = 3000
const lookMs = 100
/** An error that ends the whole following, not only one pull. */
export class Ended extends Error {}
export const ended = (cause: unknown) => new Ended('', { cause })

/** The record that was handed over last. Without bytes: there is none yet; the following began behind this one. */
export type Place = { sequence: number; bytes?: Uint8Array }

/** Throws when the stream no longer has the record that was handed over last. */
export const lookAt = async (
  last: Place,
  { name, drops, ask, timers }: FollowDeps,
  stopping: AbortSignal,
) => {
  const endOf = () => ask(manager => endOfStream(manager, name))
  for (const since = performance.now(); ; await sleep(timers, lookMs, stopping)) {
    const end = await endOf()
    if (end >= last.sequence || stopping.aborted) break
    if (performance.now() - since > lostMs) throw ended(new LostTail(last.sequence, end))
  }
  const { sequence, bytes } = last
  if (bytes === undefined) return
  const stored = await ask(manager => manager.streams.getMessage(name, { seq: sequence }))
  if (stored === null ? !drops : !Buffer.from(bytes).equals(stored.data))
    throw ended(new LostTail(sequence, await endOf()))
}
