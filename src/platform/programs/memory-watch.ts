// Measures the memory of each watched process with all processes that it started, up to four times a second, and ends a
// process over its limit. From the same measurement, it sets the priorities of process sessions: sessions that keep a
// processor busy give way to sessions that do not. The memory of a child process counts even if the child has a process
// group of its own, like the commands of a workspace.
import type { Timers } from '../../contract/ports.ts'
import { sessionGivesWay } from '../threads/give-way.ts'
import { createLookout, type Lookout } from './lookout.ts'
import type { Seen } from './machine-look.ts'

// Finds the process sessions that keep a processor busy, by measuring the time of their processes again and again. A
// session that gets too little time counts as busy too, when its processes wait for a processor most of the time.

type SeenProcess = { pid: number; session: number; cpuMs: number; waitedMs: number }
type Sum = { cpuMs: number; waitedMs: number }
type Known = Sum & { at: number; isBusy: boolean }
type Change = { session: number; isBusy: boolean }

/** A session is busy when it uses at least this share of a processor. */
const usedShare = 0.2
/** A session is busy when it runs, or waits for a processor, for at least this share of the time. */
const wantedShare = 0.9
/** At least this many milliseconds are between two measurements: processor time is counted in ticks of 10 ms. */
const leastMs = 200

const sumsOf = (processes: readonly SeenProcess[]): Map<number, Sum> => {
  const sums = new Map<number, Sum>()
  // A session is left out if its leader is not measured here: it may have more processes that are not measured.
  for (const { pid, session } of processes) if (pid === session) sums.set(session, { cpuMs: 0, waitedMs: 0 })
  for (const { session, cpuMs, waitedMs } of processes) {
    const sum = sums.get(session)
    if (sum === undefined) continue
    sum.cpuMs += cpuMs
    sum.waitedMs += waitedMs
  }
  return sums
}

export const createBusySessions = () => {
  let known = new Map<number, Known>()

  const measured = (sum: Sum, last: Known | undefined, now: number): Known => {
    if (last === undefined) return { ...sum, at: now, isBusy: true } // it starts, which takes a processor
    const ms = now - last.at
    if (ms < leastMs) return last
    const used = sum.cpuMs - last.cpuMs
    const waited = Math.max(0, sum.waitedMs - last.waitedMs) // the sum lacks ended processes
    return { ...sum, at: now, isBusy: used >= usedShare * ms || used + waited >= wantedShare * ms }
  }
  return {
    /** The sessions that are new, have become busy, or are busy no more. `now` is in milliseconds. */
    changes(processes: readonly SeenProcess[], now: number): Change[] {
      const next = new Map<number, Known>()
      const changed: Change[] = []
      for (const [session, sum] of sumsOf(processes)) {
        const last = known.get(session)
        const one = measured(sum, last, now)
        next.set(session, one)
        if (one.isBusy !== last?.isBusy) changed.push({ session, isBusy: one.isBusy })
      }
      known = next
      return changed
    },
  }
}

/** The shortest time between two measurements, in milliseconds. */
const everyMs = 250
/** The greatest share of the time that measuring may take. With many processes, the server measures less often. */
const shareOfTime = 1 / 20
type Watched = { maxBytes: number; tooMuch: () => void }
export type MemoryWatch = {
  /**
   * Calls `tooMuch` once, when the process and its descendants hold more than `maxBytes`. The returned function ends
   * the watch.
   */
  watch(pid: number, maxBytes: number, tooMuch: () => void): () => void
}

/** Adds up the memory, in bytes, of each watched process and all processes that belong to it. */
const memoryOf = (seen: readonly Seen[]): Map<number, number> => {
  const sums = new Map<number, number>()
  for (const { owner, resident } of seen) sums.set(owner, (sums.get(owner) ?? 0) + resident)
  return sums
}

export const createMemoryWatch = (
  timers: Pick<Timers, 'every'>,
  lookout: Lookout = createLookout(),
): MemoryWatch => {
  const watched = new Map<number, Watched>()
  const busySessions = createBusySessions()
  let isLooking = false
  let notBefore = 0
  let stop: (() => void) | undefined

  const lookOnce = async () => {
    const began = performance.now()
    if (isLooking || began < notBefore) return
    isLooking = true
    try {
      // Counts only processes that were watched before this look. A process that is seen while it starts is still in
      // the process group of the server, and would be charged with the memory of that whole group.
      const seen = await lookout.look([...watched.keys()])
      for (const { session, isBusy } of busySessions.changes(seen, performance.now()))
        sessionGivesWay(session, isBusy)
      for (const [pid, bytes] of memoryOf(seen)) {
        const one = watched.get(pid)
        if (one === undefined || bytes <= one.maxBytes) continue
        watched.delete(pid)
        one.tooMuch()
      }
    } catch {
      // A failed measurement is repeated at the next interval.
    } finally {
      isLooking = false
      const now = performance.now()
      notBefore = now + (now - began) / shareOfTime
    }
  }

  return {
    watch(pid, maxBytes, tooMuch) {
      const own: Watched = { maxBytes, tooMuch }
      watched.set(pid, own)
      stop ??= timers.every(everyMs, () => void lookOnce())
      return () => {
        if (watched.get(pid) === own) watched.delete(pid) // a later watch may have the same process id by now
        if (watched.size > 0) return
        stop?.()
        stop = undefined
        lookout.end()
      }
    },
  }
}
