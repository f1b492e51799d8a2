import type { OwnedSession } from './ports.ts'

/** Ended sessions whose files `remove` deletes. The removals of one session run one after another. */
export const createLeaving = (remove: (stream: string, session: OwnedSession) => Promise<void>) => {
  const leaving = new Map<string, Promise<void>>()
  return {
    add(stream: string, session: OwnedSession): void {
      const gone = (leaving.get(stream) ?? Promise.resolve())
        .then(() => remove(stream, session))
        .catch(() => {}) // a later removal deletes what is left
        .finally(() => {
          if (leaving.get(stream) === gone) leaving.delete(stream)
        })
      leaving.set(stream, gone)
    },
    /** Resolves when all removals of the session have ended. */
    left: async (stream: string): Promise<void> => leaving.get(stream),
    all: (): Promise<void>[] => [...leaving.values()],
  }
}
