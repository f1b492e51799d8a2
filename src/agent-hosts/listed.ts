// The agents of workers that are listed: those of workers that are connected, and those whose last worker has left within a
// day. A small file keeps them, so that after a restart a task for such an agent is queued until its worker is back.
import type { Clock, Report } from '../contract/ports.ts'
import { readPlainFile, replaceFile } from '../platform/files/plain-file.ts'
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

const bytesOf = (served: Served): number => Buffer.byteLength(JSON.stringify(served))

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
  const now = clock.now()
  // A worker that was connected when the server ended has left by now.
  for (const one of file === undefined ? [] : readListed(file, report))
    all.set(keyOf(one.served.name, one.user), { ...one, leftAt: one.leftAt ?? now })
  let isChanged = false
  let saving: Promise<void> | undefined

  const write = async (to: string): Promise<void> => {
    while (isChanged) {
      isChanged = false
      await replaceFile(to, `${JSON.stringify({ agents: [...all.values()] })}\n`)
    }
  }
  const save = (): Promise<void> => {
    if (file === undefined) return Promise.resolve()
    saving ??= write(file)
      .catch(error => {
        report('warn', 'the list of agents of workers cannot be saved', { file, error: error.message })
      })
      .finally(() => {
        saving = undefined
      })
    return saving
  }
  const change = (): void => {
    isChanged = true
    void save()
  }

  return {
    all: (): Listed[] => [...all.values()],
    get: (name: string, user: string | undefined): Listed | undefined => all.get(keyOf(name, user)),
    /** Why there is no place for a further agent of the user; undefined: there is. */
    problemOf(served: Served, user: string | undefined): string | undefined {
      const own = [...all.values()].filter(one => one.user === user && one.served.name !== served.name)
      const later = 'an agent leaves the list a day after its last worker'
      if (own.length >= mostListed)
        return `${mostListed} agents of workers are listed, and there is no place for more: ${later}`
      const bytes = own.reduce((sum, one) => sum + bytesOf(one.served), bytesOf(served))
      return bytes <= mostBytes
        ? undefined
        : `the agents of workers that are listed say more than ${mostBytes >> 20} MiB of themselves: ${later}`
    },
    /** A worker with this agent is connected. */
    came(served: Served, user: string | undefined, connectedAt: number): void {
      all.set(keyOf(served.name, user), { served, ...(user === undefined ? {} : { user }), connectedAt })
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
      for (const [key] of old) all.delete(key)
      if (old.length > 0) change()
      return old.map(([, { served }]) => served.name)
    },
    /** Resolves when the file says what is listed. */
    saved: async (): Promise<void> => {
      while (saving !== undefined) await saving
    },
  }
}
export type ListedAgents = ReturnType<typeof openListed>
