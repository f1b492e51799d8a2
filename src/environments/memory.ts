// Ends who takes too much memory: what all processes of a group hold together is looked at four times a second.
import { execFile } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { Timers } from '../contract/ports.ts'

const everyMs = 250
/** Processes that are looked at in one go. */
const together = 32

type Watched = { mostBytes: number; tooMuch: () => void }
export type MemoryWatch = {
  /** Calls `tooMuch` once, when the process group is found to hold more; the answer ends the watch. */
  watch(group: number, mostBytes: number, tooMuch: () => void): () => void
}

const textOf = (file: string): string => {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return '' // it has just ended
  }
}

/** Adds up the resident memory of each group that is asked for, in bytes. */
const fromProc = async (groups: ReadonlyMap<number, unknown>): Promise<Map<number, number>> => {
  const sums = new Map<number, number>()
  const pids = readdirSync('/proc').filter(name => /^\d+$/.test(name))
  for (const [index, pid] of pids.entries()) {
    if (index % together === together - 1) await nextTurn()
    // After the name, which may hold anything: the state, the parent, the group.
    const group = Number(
      textOf(`/proc/${pid}/stat`)
        .replace(/^.*\) /s, '')
        .split(' ', 3)[2],
    )
    if (!groups.has(group)) continue
    const resident = /^VmRSS:\s+(\d+) kB$/m.exec(textOf(`/proc/${pid}/status`))?.[1] ?? '0'
    sums.set(group, (sums.get(group) ?? 0) + Number(resident) * 1024)
  }
  return sums
}

const run = promisify(execFile)
const fromPs = async (): Promise<Map<number, number>> => {
  const sums = new Map<number, number>()
  const { stdout } = await run('ps', ['-A', '-o', 'pgid=,rss='])
  for (const line of stdout.trim().split('\n')) {
    const [group = 0, resident = 0] = line.trim().split(/\s+/).map(Number)
    sums.set(group, (sums.get(group) ?? 0) + resident * 1024)
  }
  return sums
}
const memoryOf = existsSync('/proc/self/stat') ? fromProc : fromPs

export const createMemoryWatch = (timers: Pick<Timers, 'every'>): MemoryWatch => {
  const watched = new Map<number, Watched>()
  let isLooking = false
  let stop: (() => void) | undefined

  const look = async () => {
    if (isLooking) return
    isLooking = true
    try {
      for (const [group, bytes] of await memoryOf(watched)) {
        const one = watched.get(group)
        if (one === undefined || bytes <= one.mostBytes) continue
        watched.delete(group)
        one.tooMuch()
      }
    } catch {
      // Looked at again in a moment.
    } finally {
      isLooking = false
    }
  }

  return {
    watch(group, mostBytes, tooMuch) {
      const own: Watched = { mostBytes, tooMuch }
      watched.set(group, own)
      stop ??= timers.every(everyMs, () => void look())
      return () => {
        if (watched.get(group) === own) watched.delete(group) // the same number may be another's by now
        if (watched.size > 0) return
        stop?.()
        stop = undefined
      }
    },
  }
}
