// Measures the memory of each watched process with all processes that it started, up to four times a second, and ends a
// process over its limit. A child process that began a process session of its own gets the same low priority as the
// watched process. Child processes may have a process group of their own, as the commands of a workspace do.
import { execFile } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { Timers } from '../contract/ports.ts'
import { sessionGivesWay } from '../platform/give-way.ts'
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

export type Seen = {
  places: ProcessPlace[]
  /** Processes that began a process session. */
  leaders: number[]
  residentOf: (pid: number) => number
}

const fromProc = async (): Promise<Seen> => {
  const places: ProcessPlace[] = []
  const leaders: number[] = []
  const pids = readdirSync('/proc').filter(name => /^\d+$/.test(name))
  for (const [index, pid] of pids.entries()) {
    if (index % together === together - 1) await nextTurn()
    // The fields after the name, which may hold any character: state, parent, group, session.
    const [state = '', parent, group, session] = fileText(`/proc/${pid}/stat`)
      .replace(/^.*\) /s, '')
      .split(' ', 4)
    if (state === '') continue
    places.push({ pid: Number(pid), parent: Number(parent), group: Number(group) })
    if (session === pid) leaders.push(Number(pid))
  }
  const residentOf = (pid: number) =>
    Number(/^VmRSS:\s+(\d+) kB$/m.exec(fileText(`/proc/${pid}/status`))?.[1] ?? 0) * 1024
  return { places, leaders, residentOf }
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
    places: rows.map(([pid = 0, parent = 0, group = 0]) => ({ pid, parent, group })),
    leaders: [],
    residentOf: pid => sizes.get(pid) ?? 0,
  }
}
const fromSystem = existsSync('/proc/self/stat') ? fromProc : fromPs

/** Adds up the resident memory, in bytes, of each watched process and all processes that it started. */
const memoryOf = async (
  watched: ReadonlyMap<number, unknown>,
  look: () => Promise<Seen>,
): Promise<Map<number, number>> => {
  const { places, leaders, residentOf } = await look()
  const sums = new Map<number, number>()
  const kin = kinOf(places, watched)
  for (const [pid, owner] of kin) sums.set(owner, (sums.get(owner) ?? 0) + residentOf(pid))
  for (const pid of leaders) if (kin.has(pid)) sessionGivesWay(pid)
  return sums
}

export const createMemoryWatch = (timers: Pick<Timers, 'every'>, look = fromSystem): MemoryWatch => {
  const watched = new Map<number, Watched>()
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
      for (const [pid, bytes] of await memoryOf(new Map(watched), look)) {
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
