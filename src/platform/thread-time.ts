// How long a thread has run on a processor. On a busy machine a thread may wait for a processor longer than it runs, so a
// limit of what a thread may work is not held against the clock.
import { readFileSync, readlinkSync } from 'node:fs'

/** A name for the thread that calls, under which the system counts; undefined where it does not. */
export const ownThread = (): string | undefined => {
  try {
    return readlinkSync('/proc/thread-self')
  } catch {
    return undefined
  }
}

/** Milliseconds that a thread of this process has run; undefined where the system does not count. */
export const processorMs = (thread: string | undefined): number | undefined => {
  if (thread === undefined) return undefined
  try {
    const [nanoseconds] = readFileSync(`/proc/${thread}/schedstat`, 'utf8').split(' ', 1)
    return Number(nanoseconds) / 1e6
  } catch {
    return undefined
  }
}
