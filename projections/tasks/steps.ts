// Reads completed agent steps, in the order of the log.
import type { Pause } from '../../src/fairness/slices.ts'
import type { ReadStore } from '../store.ts'

/** A completed agent step: the position at which it ended, and the id of its task. */
export type CompletedStep = { position: number; id: string }

/** The largest number of rows that one slice reads. */
export const sliceSteps = 1000

type StepRow = CompletedStep & { user_id: string; deleted: number }

/** `reading`: runs a query when the tables are current. */
export const createStepRows = (store: ReadStore, reading: <T>(ask: () => T) => T) => {
  const slice = store.prepare<[number, number], StepRow>(
    `SELECT s.position, t.id, t.user_id, t.deleted FROM steps s CROSS JOIN tasks t ON t.position = s.task
     WHERE s.position > ? ORDER BY s.position LIMIT ?`,
  )
  /**
   * The first steps after a position, of one user or of all users, oldest first. Steps of other users and of deleted tasks
   * are passed over, in slices, so that other requests run meanwhile. No index finds the steps of one user: it would make
   * every step more expensive to store, and a reader who continues after the last page passes over each step once.
   */
  return async (
    after: number,
    limit: number,
    user: string | undefined,
    pause: Pause,
  ): Promise<CompletedStep[]> => {
    const found: CompletedStep[] = []
    let wanted = user === undefined ? limit : sliceSteps
    for (let from = after; ; wanted = sliceSteps) {
      const rows = reading(() => slice.all(from, wanted))
      for (const { position, id, user_id, deleted } of rows)
        if (deleted === 0 && (user === undefined || user_id === user)) found.push({ position, id })
      if (found.length >= limit || rows.length < wanted) return found.slice(0, limit)
      from = rows.at(-1)?.position ?? from
      await pause()
    }
  }
}
