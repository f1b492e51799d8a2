// One look at all processes of the machine: which of them belong to watched processes, and what they use.
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { kinOf, type ProcessPlace } from './process-kin.ts'

/** `session`: the id of the process that began the session. `cpuMs`: processor time so far, also of ended children. */
type SeenProcess = ProcessPlace & { session: number; cpuMs: number }
export type Machine = {
  processes: SeenProcess[]
  residentOf: (pid: number) => number
  /** The time, in milliseconds, that a process has waited for a processor so far although it was ready to run. */
  waitedOf: (pid: number) => number
}
/** A process that is watched, or that belongs to the watched process `owner`. `resident`: its memory in bytes. */
export type Seen = {
  pid: number
  owner: number
  session: number
  cpuMs: number
  waitedMs: number
  resident: number
}

/** Milliseconds of a tick; /proc counts processor time in ticks. Programs see 100 ticks a second on Linux (USER_HZ). */
const tickMs = 10

const fileText = (file: string): string => {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return '' // the process has just ended
  }
}

const fromProc = (): Machine => {
  const processes: SeenProcess[] = []
  for (const pid of readdirSync('/proc').filter(name => /^\d+$/.test(name))) {
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

const fromPs = (): Machine => {
  const rows = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,pgid=,rss='], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .map(line => line.trim().split(/\s+/).map(Number))
  const sizes = new Map(rows.map(([pid = 0, , , resident = 0]) => [pid, resident * 1024]))
  return {
    // Only Linux shares processors among process sessions, so their processor time is not needed here.
    processes: rows.map(([pid = 0, parent = 0, group = 0]) => ({ pid, parent, group, session: 0, cpuMs: 0 })),
    residentOf: pid => sizes.get(pid) ?? 0,
    waitedOf: () => 0,
  }
}

export const thisMachine = existsSync('/proc/self/stat') ? fromProc : fromPs

export const look = ({ processes, residentOf, waitedOf }: Machine, watched: readonly number[]): Seen[] => {
  const kin = kinOf(processes, new Map(watched.map(pid => [pid, true])))
  return processes.flatMap(({ pid, session, cpuMs }) => {
    const owner = kin.get(pid)
    if (owner === undefined) return []
    return [{ pid, owner, session, cpuMs, waitedMs: waitedOf(pid), resident: residentOf(pid) }]
  })
}
