import type { Connection } from './connection.ts'

/** A connection of a task, from the moment that it is wanted. */
export type Entry = {
  /** Of the server's configuration. */
  key: string
  rootTaskId: string
  opening: Promise<Connection>
  /** Aborted when nobody needs it any more: one that still waits for its turn is never opened. */
  unneeded: AbortController
  /** How many wait for it or call at the moment. */
  using: number
  /** Closed when nobody uses it any more. */
  dropped: boolean
  stopIdling: () => void
}

/** Closes its connection, when it is open; one that waits for its turn is not opened. */
export const closeEntry = async (entry: Entry): Promise<void> => {
  entry.stopIdling()
  entry.unneeded.abort()
  const connection = await entry.opening.catch(() => undefined)
  await connection?.close()
}

/** The connections that new uses find, by task and there by key. */
export const createEntries = () => {
  const tasks = new Map<string, Map<string, Entry>>()
  return {
    find: (rootTaskId: string, key: string): Entry | undefined => tasks.get(rootTaskId)?.get(key),
    of: (rootTaskId: string): Entry[] => [...(tasks.get(rootTaskId)?.values() ?? [])],
    add(entry: Entry): void {
      const entries = tasks.get(entry.rootTaskId) ?? new Map<string, Entry>()
      tasks.set(entry.rootTaskId, entries.set(entry.key, entry))
    },
    /** Another one under the same key stays. */
    remove(entry: Entry): void {
      const entries = tasks.get(entry.rootTaskId)
      if (entries?.get(entry.key) === entry) entries.delete(entry.key)
      if (entries?.size === 0) tasks.delete(entry.rootTaskId)
    },
    /** Takes all out. */
    clear(): Entry[] {
      const all = [...tasks.values()].flatMap(entries => [...entries.values()])
      tasks.clear()
      return all
    },
  }
}
