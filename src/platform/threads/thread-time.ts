// Measures how long a thread has run on a processor. On a busy machine a thread may wait longer than it runs, so the
// time of the clock must not limit the work of a thread.
import { readFileSync, readlinkSync } from 'node:fs'

/** The system's name of the calling thread; undefined where the system does not measure threads. */
export const ownThread = (): string | undefined => {
  try {
    return readlinkSync('/proc/thread-self')
  } catch {
    return undefined
  }
}

/** Milliseconds that a thread of this process has run; undefined where the system does not measure threads. */
export const processorMs = (thread: string | undefined): number | undefined => {
  if (thread === undefined) return undefined
  try {
    const [nanoseconds] = readFileSync(`/proc/${thread}/schedstat`, 'utf8').split(' ', 1)
    return Number(nanoseconds) / 1e6 || undefined // 0: the kernel was built without this measurement
  } catch {
    return undefined
  }
}
