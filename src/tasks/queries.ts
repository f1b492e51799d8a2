// The query service of tasks: everything that only reads. The SQL is in projections/. This file decides when the read
// models are current enough for a query.
import { createCurrent, type Reading } from '../../projections/current.ts'
import type { ReadStore } from '../../projections/store.ts'
import { createTaskLists } from '../../projections/tasks/lists.ts'
import { createTaskRows } from '../../projections/tasks/rows.ts'
import { createFoldReader } from '../../projections/tasks/saved-folds.ts'
import { createStepRows } from '../../projections/tasks/steps.ts'
import { createStoredTasks } from '../../projections/tasks/stored.ts'
import { createTokenRows } from '../../projections/tokens/rows.ts'
import { Refusal } from '../contract/refusals.ts'
import { nextTurn, type Pause } from '../fairness/slices.ts'
import type { EventLog } from '../log/log.ts'
import { wholeAtMost } from '../platform/pieces.ts'
import { createErasable } from './erasable.ts'
import { createOwnQueries } from './own-queries.ts'
import { createVisibility } from './visibility.ts'

export type { TaskRow } from '../../projections/tasks/rows.ts'
export type { TaskFile } from '../../projections/tasks/task-files.ts'
export type { MakerRow, TokenRow } from '../../projections/tokens/rows.ts'

export const createQueries = (store: ReadStore, projector: Reading, log: EventLog) => {
  const { isCurrent, flush, reading } = projector
  const whenCurrent = createCurrent(projector)
  /**
   * Wraps a query, so that pending rows are written before it runs. Throws ReadModelsBehind when the tables still lack
   * events of the log.
   */
  const current =
    <Given extends unknown[], Answer>(ask: (...given: Given) => Answer) =>
    (...given: Given): Answer =>
      whenCurrent.current(() => ask(...given))

  const rows = createTaskRows(store)
  const tokens = createTokenRows(store)
  const stored = createStoredTasks(store, reading, log)
  const lists = createTaskLists({ store, stored, reading, isCurrent, rowById: rows.byId, head: log.head })

  return {
    /** Saved folds of long tasks, which may be missing. */
    folds: createFoldReader(store, reading),
    ...createVisibility(whenCurrent, rows.byId, log),
    /** The text of a task whose row was just found. */
    task: (position: number, pause: Pause = nextTurn) =>
      reading(() => stored.text(position, wholeAtMost, pause)),
    /** The text of a task as one string, however long. */
    taskText: (position: number): string => reading(() => stored.whole(position)),
    /** The text of a task in parts: first the fields, then each item. */
    textsOf: stored.texts,
    list: current(lists.list),
    listThen: current(lists.listThen),
    countTasks: current(lists.count),
    unfinished: current(rows.unfinished),
    pausedFor: current(rows.pausedFor),
    ...createOwnQueries(store, whenCurrent, rows),
    erasable: createErasable(store, whenCurrent),
    steps: createStepRows(store, whenCurrent.current),
    /** The number of tasks in each status, at the position of the read models. */
    taskCounts(): Record<string, number> {
      flush()
      try {
        return reading(rows.counts)
      } catch (error) {
        if (error instanceof Refusal) return {}
        throw error
      }
    },
    userOfPrincipal: current(tokens.userOf),
    tokens: current(tokens.all),
    makers: current(tokens.makers),
    hasToken: current(tokens.hasOne),
    headPosition: () => log.head(),
    isCurrent,
    caughtUp: projector.caughtUp,
  }
}
export type Queries = ReturnType<typeof createQueries>
