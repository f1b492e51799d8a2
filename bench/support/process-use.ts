// The CPU time and the memory of a process, as the system counts them. Undefined on a system without /proc.
import { readdirSync, readFileSync } from 'node:fs'

const ticksPerSecond = 100
const read = (pid: number, file: string): string | undefined => {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    return undefined
  }
}

/** CPU seconds of all threads of a process since it began. */
export const cpuSecondsOf = (pid: number): number | undefined => {
  const stat = read(pid, 'stat')
  if (stat === undefined) return undefined
  const [user, system] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13)
  return (Number(user) + Number(system)) / ticksPerSecond
}

/** Resident memory of a process in MiB. */
export const residentOf = (pid: number): number | undefined => {
  const kib = /^VmRSS:\s+(\d+) kB/m.exec(read(pid, 'status') ?? '')?.[1]
  return kib === undefined ? undefined : Number(kib) / 1024
}

/** CPU seconds of this process. */
export const ownCpuSeconds = (): number => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6
}

/** Nanoseconds that all threads of a process have run: finer than `cpuSecondsOf`, but without threads that have ended. */
export const runNanosOf = (pid: number): number => {
  let nanos = 0
  for (const thread of readdirSync(`/proc/${pid}/task`))
    nanos += Number((read(pid, `task/${thread}/schedstat`) ?? '0').split(' ', 1)[0])
  return nanos
}

/** CPU seconds of a process and of all that it has started and that still runs. */
export const cpuSecondsBelow = (pid: number): number => {
  const all = readdirSync('/proc').filter(name => /^\d+$/.test(name))
  const parents = new Map(
    all.map(name => {
      const stat = read(Number(name), 'stat') ?? ''
      return [Number(name), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])]
    }),
  )
  const isBelow = (one: number | undefined): boolean =>
    one !== undefined && one > 1 && (one === pid || isBelow(parents.get(one)))
  return [...parents.keys()].filter(isBelow).reduce((sum, one) => sum + (cpuSecondsOf(one) ?? 0), 0)
}
