import type { Connection } from './connection.ts'

/** A connection of a task, from its first request on. */
export type Entry = {
  /** The key of the server's configuration. */
  key: string
  rootTaskId: string
  opening: Promise<Connection>
  /** Aborted when no task needs the connection any more. If it still waits for its turn then, it is never opened. */
  unneeded: AbortController
  /** How many uses run or wait at present. */
  using: number
  /** Whether the connection is to be closed after its last use. */
  dropped: boolean
  stopIdling: () => void
}

/** Closes the entry's connection if it is open; an entry that waits for its turn is not opened. */
export const closeEntry = async (entry: Entry): Promise<void> => {
  entry.stopIdling()
  entry.unneeded.abort()
  const connection = await entry.opening.catch(() => undefined)
  await connection?.close()
}

/** The connections that new uses find, by task and then by key. */
export const createEntries = () => {
  const tasks = new Map<string, Map<string, Entry>>()
  return {
    find: (rootTaskId: string, key: string): Entry | undefined => tasks.get(rootTaskId)?.get(key),
    of: (rootTaskId: string): Entry[] => [...(tasks.get(rootTaskId)?.values() ?? [])],
    add(entry: Entry): void {
      const entries = tasks.get(entry.rootTaskId) ?? new Map<string, Entry>()
      tasks.set(entry.rootTaskId, entries.set(entry.key, entry))
    },
    /** Removes this entry. Another entry that has the same key stays. */
    remove(entry: Entry): void {
      const entries = tasks.get(entry.rootTaskId)
      if (entries?.get(entry.key) === entry) entries.delete(entry.key)
      if (entries?.size === 0) tasks.delete(entry.rootTaskId)
    },
    /** Removes and returns all entries. */
    clear(): Entry[] {
      const all = [...tasks.values()].flatMap(entries => [...entries.values()])
      tasks.clear()
      return all
    },
  }
}
