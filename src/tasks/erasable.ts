// What an erasure asks the read models, also about deleted tasks. Nobody sees the rows, so they need not be committed.
import type { Current } from '../../projections/current.ts'
import type { ReadStore } from '../../projections/store.ts'
import { createEndedRows, type ErasableTask } from '../../projections/tasks/ended-rows.ts'
import type { Pause } from '../fairness/slices.ts'

export const createErasable = (store: ReadStore, { currentOn }: Pick<Current, 'currentOn'>) => {
  const rows = createEndedRows(store)
  const current =
    <Given extends unknown[], Answer>(ask: (...given: Given) => Answer) =>
    (...given: Given): Answer =>
      currentOn(undefined, () => ask(...given))
  const ofUser = current(rows.ofUser)
  return {
    ofSession: current(rows.ofSession),
    byId: current(rows.byId),
    erased: current(rows.erased),
    forksAfter: current(rows.forksAfter),
    oldAfter: current(rows.oldAfter),
    /** The tasks of a user after a position that are not erased, first those not deleted. A task may come twice. */
    async *ofUser(user: string, pause: Pause, from = 0): AsyncGenerator<ErasableTask> {
      for (const deleted of [0, 1] as const) {
        for (let after = from; ; ) {
          const slice = ofUser(user, deleted, after)
          yield* slice
          const last = slice.at(-1)
          if (last === undefined) break
          after = last.position
          await pause()
        }
      }
    },
  }
}
export type Erasable = ReturnType<typeof createErasable>
