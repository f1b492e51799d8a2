import type { OwnedSession } from './ports.ts'

/** Sessions that have ended, and of which `remove` takes away what is left: one time after the other for each. */
export const createLeaving = (remove: (stream: string, session: OwnedSession) => Promise<void>) => {
  const leaving = new Map<string, Promise<void>>()
  return {
    add(stream: string, session: OwnedSession): void {
      const gone = (leaving.get(stream) ?? Promise.resolve())
        .then(() => remove(stream, session))
        .catch(() => {}) // what cannot be removed now is removed with the next one
        .finally(() => {
          if (leaving.get(stream) === gone) leaving.delete(stream)
        })
      leaving.set(stream, gone)
    },
    /** Resolves when nothing is left of the session. */
    left: async (stream: string): Promise<void> => leaving.get(stream),
    all: (): Promise<void>[] => [...leaving.values()],
  }
}
