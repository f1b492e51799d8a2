// The agents of workers that are listed: those of workers that are connected, and those whose last worker has left within a
// day. A small file keeps them, so that after a restart a task for such an agent is queued until its worker is back.

import { rm } from 'node:fs/promises'
import path from 'node:path'
import type { Clock, Report } from '../contract/ports.ts'
import { readPlainFile, replaceFile, syncFolder } from '../platform/files/plain-file.ts'
import type { Served } from './roster.ts'

/** An agent stays listed for this many milliseconds after its last worker has left. */
const listedMs = 24 * 3600 * 1000
/** The most agents of workers that are listed for one user, or for all users together, and the bytes of what they say. */
export const mostListed = 1000
const mostBytes = 16 << 20

/**
 * An agent of workers that is listed. `user`: whose tasks it serves; undefined: those of all users. Times are milliseconds
 * since 1970; `leftAt` is undefined while a worker is connected.
 */
export type Listed = { served: Served; user?: string; connectedAt: number; leftAt?: number }

type Deps = {
  clock: Clock
  report: Report
  /** Undefined: nothing is kept. */
  file: string | undefined
}

const keyOf = (name: string, user: string | undefined): string => JSON.stringify([name, user ?? null])

/** How many agents are listed for one user, and the bytes of what they say. */
type Size = { agents: number; bytes: number }
const bytesOf = (served: Served): number => Buffer.byteLength(JSON.stringify(served))
const withMore = ({ agents, bytes }: Size, served: Served): Size => ({
  agents: agents + 1,
  bytes: bytes + bytesOf(served),
})
const without = ({ agents, bytes }: Size, served: Served): Size => ({
  agents: agents - 1,
  bytes: bytes - bytesOf(served),
})
const later = 'an agent leaves the list a day after its last worker'

/** Removes the file for good, also what a crash has left of a new one. Rejects with errors of the system. */
export const removeListed = async (file: string): Promise<void> => {
  for (const each of [file, `${file}.new`]) await rm(each, { force: true })
  await syncFolder(path.dirname(file))
}

/** What the file says; nothing when there is none. */
const readListed = (file: string, report: Report): Listed[] => {
  try {
    const { agents } = JSON.parse(readPlainFile(file)) as { agents: Listed[] }
    return agents.filter(({ served, connectedAt }) => typeof served.name === 'string' && connectedAt > 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT')
      report('warn', 'the list of agents of workers cannot be read: it is empty until workers connect', {
        file,
        error: error instanceof Error ? error.message : String(error),
      })
    return []
  }
}

export const openListed = ({ clock, report, file }: Deps) => {
  const all = new Map<string, Listed>()
  const sizes = new Map<string | undefined, Size>()
  const sizeOf = (user: string | undefined): Size => sizes.get(user) ?? { agents: 0, bytes: 0 }
  const drop = (key: string): void => {
    const one = all.get(key)
    if (one === undefined) return
    all.delete(key)
    const left = without(sizeOf(one.user), one.served)
    if (left.agents === 0) sizes.delete(one.user)
    else sizes.set(one.user, left)
  }
  const put = (one: Listed): void => {
    const key = keyOf(one.served.name, one.user)
    drop(key)
    all.set(key, one)
    sizes.set(one.user, withMore(sizeOf(one.user), one.served))
  }
  const now = clock.now()
  // A worker that was connected when the server ended has left by now.
  for (const one of file === undefined ? [] : readListed(file, report))
    put({ ...one, leftAt: one.leftAt ?? now })
  let isChanged = false
  let saving: Promise<void> | undefined

  const text = () => `${JSON.stringify({ agents: [...all.values()] })}\n`
  const write = async (to: string): Promise<void> => {
    while (isChanged) {
      isChanged = false
      await replaceFile(to, text())
    }
  }
  /** Writes what is listed. One write at a time: changes that come meanwhile are in the next one. Rejects with errors of the system. */
  const save = (): Promise<void> => {
    if (file === undefined) return Promise.resolve()
    isChanged = true
    if (saving === undefined) {
      saving = write(file).finally(() => {
        saving = undefined
      })
      saving.catch(error => {
        report('warn', 'the list of agents of workers cannot be saved', { file, error: error.message })
      })
    }
    return saving
  }
  const change = (): void => {
    save().catch(() => {}) // it is reported
  }

  /** Resolves when nothing is being written. */
  const saved = async (): Promise<void> => {
    while (saving !== undefined) await saving.catch(() => {})
  }

  return {
    all: (): Listed[] => [...all.values()],
    get: (name: string, user: string | undefined): Listed | undefined => all.get(keyOf(name, user)),
    /** Judges the agents of one hello, which count together: why there is no place for one; undefined: there is. */
    judge(user: string | undefined): (served: Served) => string | undefined {
      let size = sizeOf(user)
      return served => {
        const before = all.get(keyOf(served.name, user))
        const next = withMore(before === undefined ? size : without(size, before.served), served)
        if (next.agents > mostListed)
          return `${mostListed} agents of workers are listed, and there is no place for more: ${later}`
        if (next.bytes > mostBytes)
          return `the agents of workers that are listed say more than ${mostBytes >> 20} MiB of themselves: ${later}`
        size = next
        return undefined
      }
    },
    /** A worker with this agent is connected. */
    came(served: Served, user: string | undefined, connectedAt: number): void {
      put({ served, ...(user === undefined ? {} : { user }), connectedAt })
      change()
    },
    /** The last worker with this agent has left. */
    left(name: string, user: string | undefined): void {
      const one = all.get(keyOf(name, user))
      if (one === undefined) return
      one.leftAt = clock.now()
      change()
    },
    /** Takes away the agents whose last worker has left a day ago, and names them. */
    expire(): string[] {
      const before = clock.now() - listedMs
      const old = [...all].filter(([, { leftAt }]) => leftAt !== undefined && leftAt < before)
      for (const [key] of old) drop(key)
      if (old.length > 0) change()
      return old.map(([, { served }]) => served.name)
    },
    /** Forgets the agents of a user. The file has none of them when this resolves. Rejects with errors of the system. */
    async erase(user: string): Promise<void> {
      const own = [...all].filter(([, one]) => one.user === user)
      for (const [key] of own) drop(key)
      if (file === undefined) return
      // Nothing is caught here: an erasure that has failed is tried again.
      await save()
      await syncFolder(path.dirname(file))
    },
    saved,
  }
}
export type ListedAgents = ReturnType<typeof openListed>
