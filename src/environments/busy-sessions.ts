// Finds the process sessions that keep a processor busy, from what successive looks at their processes show. A session
// that would keep a processor busy, if it got one, is found by the time for which its processes wait for a processor.
type SeenProcess = { pid: number; session: number; cpuMs: number; waitedMs: number }
type Sum = { cpuMs: number; waitedMs: number }
type Known = Sum & { at: number; isBusy: boolean }
type Change = { session: number; isBusy: boolean }

/** The share of a processor from which on a session is busy. */
const usedShare = 0.2
/** The share of the time, running or waiting for a processor, from which on a session is busy. */
const wantedShare = 0.9
/** Milliseconds between two measurements of a session. Processor time is too coarse for less. */
const leastMs = 200

const sumsOf = (processes: readonly SeenProcess[]): Map<number, Sum> => {
  const sums = new Map<number, Sum>()
  // A session whose leader is not among the processes may belong to others, too.
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
    if (last === undefined) return { ...sum, at: now, isBusy: false }
    const ms = now - last.at
    if (ms < leastMs) return last
    const used = sum.cpuMs - last.cpuMs
    const waited = Math.max(0, sum.waitedMs - last.waitedMs) // that of ended processes is gone
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
