// Checks whether a stream still has the record that was handed over last. Servers that lose power may lose their newest
// records.
import type { Timers } from '../../contract/ports.ts'
import { sleep } from '../../platform/sleep.ts'
import { LostLog, LostTail } from '../shared-log.ts'
import type { Ask } from './ask.ts'
import type { Copies } from './copies.ts'
import { endOfStream } from './end.ts'

export type FollowDeps = {
  name: string
  /** Whether the stream drops its oldest records. */
  drops: boolean
  ask: Ask
  copies: Copies
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

/**
 * What the leader of the stream says about the last record that was handed over. `hasOther`: it has another record in this place,
 * so the servers have lost that one.
 */
type Look = { leader: string; end: number | undefined; isThere: boolean; hasOther?: boolean }

const look = ({ sequence, bytes }: Place, { name, drops, ask }: FollowDeps): Promise<Look> =>
  ask(async (manager, connection) => {
    const end = await endOfStream(manager, name)
    if (end === undefined) return { leader: '', end, isThere: false }
    const info = await manager.streams.info(name)
    const leader = info.cluster?.leader ?? connection.info?.server_name ?? ''
    if (end < sequence || bytes === undefined) return { leader, end, isThere: end >= sequence }
    const stored = await manager.streams.getMessage(name, { seq: sequence })
    const isThere = stored === null ? drops : Buffer.from(bytes).equals(stored.data)
    return { leader, end, isThere, hasOther: stored !== null && !isThere }
  })

/** Whether the copy of another server has the record that was handed over last. */
const isElsewhere = async (
  { sequence, bytes }: Place,
  { copies, drops }: FollowDeps,
  leader: string,
): Promise<boolean> => {
  if (drops || bytes === undefined) return false
  const other = await copies.recordAt(sequence, server => server !== leader).catch(() => undefined)
  return other !== undefined && Buffer.from(other.bytes).equals(bytes)
}

/**
 * Throws when the stream no longer has the record that was handed over last. When only the leader lacks it, its copy is
 * noted as flawed. Resolves to the last sequence of the stream.
 */
export const lookAt = async (last: Place, deps: FollowDeps, stopping: AbortSignal): Promise<number> => {
  const { name, copies, timers } = deps
  for (const since = performance.now(); ; await sleep(timers, lookMs, stopping)) {
    const { leader, end, isThere, hasOther = false } = await look(last, deps)
    if (isThere || stopping.aborted) return end ?? 0
    const isShort = end === undefined || end < last.sequence
    const mayBeLate = isShort && performance.now() - since <= lostMs && !copies.servers().includes(leader)
    if (mayBeLate) continue
    if (end === undefined) throw ended(new LostLog(`the NATS servers have no stream ${name} any more`))
    if (hasOther || !(await isElsewhere(last, deps, leader))) throw ended(new LostTail(last.sequence, end))
    copies.note(leader, last.sequence)
    return end
  }
}
