// Saves the state of a long task after about every thousandth event, so that a reader can begin to fold near the point
// that it asks for. Saved folds only save time: a fold that is damaged, or of another version, is ignored.
import { readJson } from '../../src/contract/json/exact-json.ts'
import { isTaskStream, taskIdOf } from '../../src/contract/task-stream.ts'
import type { OutputItem } from '../../src/contract/wire.ts'
import { foldVersion, savedFold } from '../../src/history/saved-fold.ts'
import type { FramedTask } from '../../src/history/task-view.ts'
import type { ReadStore } from '../store.ts'
import { sumOf } from '../sums.ts'

/** Selects the newest fold that is not past a frame number, a position, or a time (milliseconds since 1970). */
export type FoldMoment = { next: number } | { position: number } | { time: number }

type Fold = { task: number; next: number; position: number; time: number; state: string }

const sumOfFold = ({ task, next, position, time, state }: Fold): number =>
  sumOf(JSON.stringify([foldVersion, task, next, position, time, state]))

/** Writes saved folds, for the projection of tasks, which folds every task anyway. */
export const createFoldWriter = (store: ReadStore) => {
  const put = store.prepare(
    `INSERT OR REPLACE INTO saved_folds (task, next, position, time, version, state, sum)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
  )
  let due: Fold[] = []
  return {
    /** Called after each event of a task. `task`: the key of the task's row. */
    follow(task: number, view: FramedTask): void {
      const state = savedFold(view)
      if (state === undefined) return
      due.push({ task, next: view.seq, position: view.position, time: view.changedAt, state })
    },
    write(): void {
      for (const fold of due) {
        const { task, next, position, time, state } = fold
        put.run(task, next, position, time, foldVersion, state, sumOfFold(fold))
      }
      due = []
    },
    forget(): void {
      due = []
    },
  }
}

const beforeColumn = (column: 'next' | 'position' | 'time') =>
  `SELECT f.task, f.next, f.position, f.time, f.state, f.sum FROM saved_folds f JOIN tasks t ON t.position = f.task
   WHERE t.id = ? AND f.version = ? AND f.${column} <= ? ORDER BY f.next DESC`

/** `reading`: the method of the projector, which notices when the file is damaged. */
export const createFoldReader = (store: ReadStore, reading: <T>(ask: () => T) => T) => {
  type Found = Fold & { sum: number }
  const statements = {
    next: store.prepare<[string, number, number], Found>(beforeColumn('next')),
    position: store.prepare<[string, number, number], Found>(beforeColumn('position')),
    time: store.prepare<[string, number, number], Found>(beforeColumn('time')),
  }
  const bodies = store.prepare<[string, number, number], { n: number; body: string | null; sum: number }>(
    `SELECT i.n, i.body, i.sum FROM items i JOIN tasks t ON t.position = i.task
     WHERE t.id = ? AND i.n >= ? AND i.n < ? ORDER BY i.n`,
  )
  /** Readers do not depend on saved folds, so a failed query counts as a missing fold. */
  const asked = <T>(ask: () => T): T | undefined => {
    try {
      return reading(ask)
    } catch {
      return undefined
    }
  }
  const find = (stream: string, moment: FoldMoment): string | undefined => {
    if (!isTaskStream(stream)) return undefined
    const [column, max] = Object.entries(moment)[0] as ['next' | 'position' | 'time', number]
    for (const fold of statements[column].iterate(taskIdOf(stream), foldVersion, max)) {
      if (sumOfFold(fold) === fold.sum) return fold.state
    }
    return undefined
  }
  return {
    /** The text of the newest undamaged fold of a task that is not past a moment. */
    before: (stream: string, moment: FoldMoment): string | undefined => asked(() => find(stream, moment)),
    /** The items of a task from number `from` to number `to` - 1; undefined: some are missing, long or damaged. */
    items: (stream: string, from: number, to: number): OutputItem[] | undefined =>
      asked(() => {
        const found = bodies.all(taskIdOf(stream), from, to)
        const isWhole =
          found.length === to - from &&
          found.every(({ n, body, sum }, at) => n === from + at && body !== null && sumOf(body) === sum)
        return isWhole ? found.map(({ body }) => readJson(body ?? '') as OutputItem) : undefined
      }),
  }
}
export type SavedFolds = ReturnType<typeof createFoldReader>
