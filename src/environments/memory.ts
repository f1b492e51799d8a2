// Measures the memory of each watched process with all processes that it started, up to four times a second, and ends a
// process over its limit. In the same look it lowers the priority of their process sessions: sessions that keep a
// processor busy give way to those that do not. Child processes may have a process group of their own, as the commands
// of a workspace do.
import { execFile } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { Timers } from '../contract/ports.ts'
import { sessionGivesWay } from '../platform/give-way.ts'
import { createBusySessions } from './busy-sessions.ts'
import { kinOf, type ProcessPlace } from './kin.ts'

/** The least time between two measurements, milliseconds. */
const everyMs = 250
/** The greatest share of the time that measuring may take. With many processes, the server measures less often. */
const shareOfTime = 1 / 20
/** How many processes are read before the event loop runs again. */
const together = 8

type Watched = { maxBytes: number; tooMuch: () => void }
export type MemoryWatch = {
  /**
   * Calls `tooMuch` once, when the process and its descendants hold more than `maxBytes`. The returned function ends
   * the watch.
   */
  watch(pid: number, maxBytes: number, tooMuch: () => void): () => void
}

const fileText = (file: string): string => {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return '' // the process has just ended
  }
}

/** `session`: the process that began the process session. `cpuMs`: processor time so far, with that of ended children. */
type SeenProcess = ProcessPlace & { session: number; cpuMs: number }
export type Seen = {
  processes: SeenProcess[]
  residentOf: (pid: number) => number
  /** Milliseconds for which a process has waited for a processor so far, although it was ready to run. */
  waitedOf: (pid: number) => number
}
/** Milliseconds of a tick, in which /proc gives processor time. Linux has 100 ticks a second for all programs (USER_HZ). */
const tickMs = 10

const fromProc = async (): Promise<Seen> => {
  const processes: SeenProcess[] = []
  const pids = readdirSync('/proc').filter(name => /^\d+$/.test(name))
  for (const [index, pid] of pids.entries()) {
    if (index % together === together - 1) await nextTurn()
    // The fields after the name, which may hold any character: state, parent, group, session, ... From the eleventh on,
    // there are four parts of the processor time.
    const fields = fileText(`/proc/${pid}/stat`)
      .replace(/^.*\) /s, '')
      .split(' ', 15)
    if (fields.length < 15) continue
    const [parent = 0, group = 0, session = 0] = fields.slice(1, 4).map(Number)
    const cpuMs = fields.slice(11).reduce((sum, ticks) => sum + Number(ticks) * tickMs, 0)
    processes.push({ pid: Number(pid), parent, group, session, cpuMs })
  }
  const residentOf = (pid: number) =>
    Number(/^VmRSS:\s+(\d+) kB$/m.exec(fileText(`/proc/${pid}/status`))?.[1] ?? 0) * 1024
  // The second number is the time of waiting, in nanoseconds. Some kernels do not measure it.
  const waitedOf = (pid: number) => Number(fileText(`/proc/${pid}/schedstat`).split(' ')[1] ?? 0) / 1e6
  return { processes, residentOf, waitedOf }
}

const run = promisify(execFile)
const fromPs = async (): Promise<Seen> => {
  const { stdout } = await run('ps', ['-A', '-o', 'pid=,ppid=,pgid=,rss='])
  const rows = stdout
    .trim()
    .split('\n')
    .map(line => line.trim().split(/\s+/).map(Number))
  const sizes = new Map(rows.map(([pid = 0, , , resident = 0]) => [pid, resident * 1024]))
  return {
    // Only Linux shares processors among process sessions, so their processor time is not needed here.
    processes: rows.map(([pid = 0, parent = 0, group = 0]) => ({
      pid,
      parent,
      group,
      session: 0,
      cpuMs: 0,
    })),
    residentOf: pid => sizes.get(pid) ?? 0,
    waitedOf: () => 0,
  }
}
const fromSystem = existsSync('/proc/self/stat') ? fromProc : fromPs

/** Adds up the resident memory, in bytes, of each watched process and all processes that it started. */
const memoryOf = ({ residentOf }: Seen, kin: ReadonlyMap<number, number>): Map<number, number> => {
  const sums = new Map<number, number>()
  for (const [pid, owner] of kin) sums.set(owner, (sums.get(owner) ?? 0) + residentOf(pid))
  return sums
}

export const createMemoryWatch = (timers: Pick<Timers, 'every'>, look = fromSystem): MemoryWatch => {
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
      const before = new Map(watched)
      const seen = await look()
      const kin = kinOf(seen.processes, before)
      const ofUsers = seen.processes
        .filter(({ pid }) => kin.has(pid))
        .map(({ pid, session, cpuMs }) => ({ pid, session, cpuMs, waitedMs: seen.waitedOf(pid) }))
      for (const { session, isBusy } of busySessions.changes(ofUsers, performance.now()))
        sessionGivesWay(session, isBusy)
      for (const [pid, bytes] of memoryOf(seen, kin)) {
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
      }
    },
  }
}
