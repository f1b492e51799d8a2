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
