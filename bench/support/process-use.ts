// What a process uses, as the system counts it. Where there is no /proc the answer is undefined.
import { readFileSync } from 'node:fs'

const ticksPerSecond = 100
const read = (pid: number, file: string): string | undefined => {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    return undefined
  }
}

/** CPU seconds of all its threads since it began. */
export const cpuSecondsOf = (pid: number): number | undefined => {
  const stat = read(pid, 'stat')
  if (stat === undefined) return undefined
  const [user, system] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13)
  return (Number(user) + Number(system)) / ticksPerSecond
}

/** Resident memory in MiB. */
export const residentOf = (pid: number): number | undefined => {
  const kib = /^VmRSS:\s+(\d+) kB/m.exec(read(pid, 'status') ?? '')?.[1]
  return kib === undefined ? undefined : Number(kib) / 1024
}

/** CPU seconds of this process. */
export const ownCpuSeconds = (): number => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6
}
