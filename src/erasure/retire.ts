// Erases many tasks for a rule of retention, in parts. Between two parts, other erasures can run.
import type { ErasableTask } from '../../projections/tasks/ended-rows.ts'
import { Refusal } from '../contract/refusals.ts'
import { isTaskStream } from '../contract/task-stream.ts'
import type { createTurns } from '../platform/turns.ts'
import type { Asked } from './asked.ts'
import { createKinIndex, type KinIndex } from './dependants.ts'
import { beginErasure, type EraseDeps } from './erase.ts'
import { freeOf } from './free.ts'
import type { StoredErasure } from './stored-erasures.ts'

type Deps = EraseDeps & { alone: ReturnType<typeof createTurns> }

/** About this many tasks are in one part. */
const tasksAtOnce = 500

/** Parts of tasks. Tasks of a session mostly depend on each other, so they are in one part. */
const partsOf = async (tasks: readonly ErasableTask[], pause: Deps['pause']): Promise<ErasableTask[][]> => {
  const sessions = new Map<string, ErasableTask[]>()
  for (const task of tasks) {
    const key = JSON.stringify([task.user_id, task.session_id])
    const own = sessions.get(key)
    if (own === undefined) sessions.set(key, [task])
    else own.push(task)
    await pause()
  }
  const parts: ErasableTask[][] = []
  let part: ErasableTask[] = []
  for (const own of sessions.values()) {
    for (const task of own) part.push(task)
    if (part.length < tasksAtOnce) continue
    parts.push(part)
    part = []
  }
  if (part.length > 0) parts.push(part)
  return parts
}

const isReason = (error: unknown, reason: Refusal['reason']): boolean =>
  error instanceof Refusal && error.reason === reason

/** `index`: what is known about the tasks. `ids`: of the tasks that may be erased, in all parts. */
type Run = { reason: string; index: KinIndex; ids: ReadonlySet<string> }

/**
 * Stores the erasure of one part. Undefined: something has come that keeps all of it, such as a hold, or a new task that
 * quotes it.
 */
const beginPart = async (
  deps: Deps,
  asked: Asked,
  part: readonly ErasableTask[],
  { reason, index, ids }: Run,
): Promise<StoredErasure | undefined> => {
  const begin = (tasks: readonly ErasableTask[]) => {
    const wanted = { subject: { kind: 'retention' as const, id: reason }, tasks, sessions: [] }
    return beginErasure(deps, asked, wanted, { reason, cascade: ids }, index)
  }
  // Another part may have taken some of them along, and another erasure may have come between two parts.
  const there = part.flatMap(({ id }) => deps.rows.byId(id) ?? [])
  if (there.length === 0) return undefined
  try {
    return await begin(there)
  } catch (error) {
    if (!isReason(error, 'NotErasable')) throw error
    index.lookAgain()
    const free = await freeOf(deps, index, there)
    return free.length === 0 ? undefined : begin(free)
  }
}

/**
 * Erases those of the tasks that can be erased, see `freeOf`. Yields the number of tasks after each part. An erasure that
 * is stored counts although it is not finished, for example while a backup reads the log: the server finishes it. What
 * must be looked for everywhere, such as copies in the read models, is destroyed at the end, once for all parts. A caller
 * that ends the iteration early stops the server: the next start finishes.
 */
export async function* retire(
  deps: Deps,
  asked: Asked,
  tasks: readonly ErasableTask[],
  reason: string,
): AsyncGenerator<number> {
  const { alone, finisher, pause } = deps
  const index = createKinIndex(deps)
  const free = await alone(() => freeOf(deps, index, tasks))
  const run: Run = { reason, index, ids: new Set(free.map(({ id }) => id)) }
  const begun: StoredErasure[] = []
  const finish = async (): Promise<void> => {
    if (begun.length === 0) return
    await finisher.finishAll(begun).catch(error => {
      if (!isReason(error, 'ErasureUnfinished')) throw error
    })
  }
  try {
    for (const part of await partsOf(free, pause)) {
      const erasure = await alone(() => beginPart(deps, asked, part, run))
      if (erasure === undefined) continue
      yield erasure.streams.filter(isTaskStream).length
      await finisher.prepare(erasure).then(
        () => begun.push(erasure),
        error => {
          if (!isReason(error, 'ErasureUnfinished')) throw error
        },
      )
    }
  } catch (error) {
    await finish()
    throw error
  }
  await finish()
}
