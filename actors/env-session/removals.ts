import type { OwnedSession } from './ports.ts'

/** Ended sessions whose files `remove` deletes. The removals of one session run one after another. */
export const createRemovals = (remove: (stream: string, session: OwnedSession) => Promise<void>) => {
  const removals = new Map<string, Promise<void>>()
  return {
    begin(stream: string, session: OwnedSession): void {
      const gone = (removals.get(stream) ?? Promise.resolve())
        .then(() => remove(stream, session))
        .catch(() => {}) // a later removal deletes what is left
        .finally(() => {
          if (removals.get(stream) === gone) removals.delete(stream)
        })
      removals.set(stream, gone)
    },
    /** Resolves when all removals of the session have ended. */
    ended: async (stream: string): Promise<void> => removals.get(stream),
    all: (): Promise<void>[] => [...removals.values()],
  }
}
