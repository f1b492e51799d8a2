// A task's own history, read from the log: the task as it was, its rollouts, and whether the log still says what
// the read models say.
import type { Replay } from './contract/answers.ts'
import { canonical } from './contract/canonical.ts'
import type { Clock } from './contract/ports.ts'
import { Invalid, Refusal } from './contract/refusals.ts'
import type { Log, Recorded } from './contract/stored.ts'
import { taskStream } from './contract/task-stream.ts'
import { isTerminal } from './contract/wire.ts'
import { digestOfBody } from './digest.ts'
import { atifOf } from './history/atif/atif.ts'
import type { Trajectory } from './history/atif/format.ts'
import { tell } from './history/frames.ts'
import { type Rollout, rolloutsOf } from './history/rollouts.ts'
import { taskOf } from './history/task-object.ts'
import { emptyTask, evolve, type TaskView } from './history/task-view.ts'
import type { Queries, TaskRow } from './queries.ts'

/** A moment of a task: the event that holds a frame, a position of the log, or a time (milliseconds). */
export type Moment = { frame: number } | { position: number } | { time: number }

/** How often a replay looks again before it calls a difference a mismatch. */
const patience = 100

const beyond = () =>
  new Invalid([{ loc: ['query', 'as_of'], msg: 'This lies beyond the end', type: 'value_error' }])

/** Keys of a task object whose values differ, in order. */
const differences = (stored: Record<string, unknown>, replayed: Record<string, unknown>) =>
  [...new Set([...Object.keys(stored), ...Object.keys(replayed)])].flatMap(field =>
    canonical(stored[field]) === canonical(replayed[field])
      ? []
      : [{ field, stored: stored[field] ?? null, replayed: replayed[field] ?? null }],
  )

export const createRecall = (log: Log, queries: Queries, clock: Clock) => {
  const read = log.readStream
  const withRollouts = async (text: string, stream: string, upTo?: number): Promise<string> => {
    const { rollouts } = await rolloutsOf(read, stream, upTo === undefined ? {} : { upTo })
    return `${text.slice(0, -1)},"rollouts":${JSON.stringify(rollouts)}}`
  }

  /** The task of a view as JSON text; with its rollouts when it was asked to return them and has ended. */
  const textOf = (view: TaskView, upTo?: number): string | Promise<string> => {
    const text = JSON.stringify(taskOf(view))
    const { created } = view
    if (!created?.request.return_rollout || !isTerminal(view.status)) return text
    return withRollouts(text, taskStream(created.task_id), upTo)
  }

  const isPast = (moment: Moment, { position, header }: Recorded): boolean => {
    if ('frame' in moment) return (header.seq ?? 0) > moment.frame
    if ('position' in moment) return position > moment.position
    return Date.parse(header.time) > moment.time
  }

  return {
    textOf,

    /** The same of a row that was just found. */
    textOfRow(row: TaskRow): string | Promise<string> {
      const text = queries.taskText(row.position)
      return row.rollouts > 0 && isTerminal(row.status) ? withRollouts(text, taskStream(row.id)) : text
    },

    rollouts: async (taskId: string): Promise<Rollout[]> =>
      (await rolloutsOf(read, taskStream(taskId))).rollouts,

    /** The same task as a document of another format. */
    atif: (taskId: string): Promise<Trajectory> => atifOf(read, taskStream(taskId)),

    /** Entries of all tasks of one user, or of all users, after a position. */
    async *bulk(after: number, limit: number, user?: string): AsyncGenerator<Rollout> {
      const known = new Map<string, Map<number, Rollout>>()
      for (const { position, id } of queries.steps(after, limit, user)) {
        let own = known.get(id)
        if (own === undefined) {
          const { rollouts } = await rolloutsOf(read, taskStream(id), {
            subagents: false,
            summaries: true,
          })
          own = new Map(rollouts.map(rollout => [rollout.position, rollout]))
          known.set(id, own)
        }
        const rollout = own.get(position)
        if (rollout !== undefined) yield rollout
      }
    },

    /** The task as it was after the last event that is not past the moment. */
    async asOf(taskId: string, moment: Moment): Promise<string> {
      if ('position' in moment && moment.position > log.head()) throw beyond()
      if ('time' in moment && moment.time > clock.now()) throw beyond()
      const view = emptyTask()
      for await (const page of read(taskStream(taskId))) {
        for (const event of page) if (!isPast(moment, event)) evolve(view, event)
      }
      if ('frame' in moment && moment.frame >= view.seq) throw beyond()
      if (view.status === 'absent')
        throw new Refusal('TaskNotFound', undefined, 'there was no such task then')
      return textOf(view, view.revision)
    },

    /** Folds the stored events again, frames included, and compares the task with what the read models say. */
    async replay(row: TaskRow): Promise<Replay> {
      const stream = taskStream(row.id)
      const view = emptyTask()
      for (let tries = 1; ; tries++) {
        for await (const page of read(stream, view.revision)) for (const event of page) tell(view, event)
        queries.rowById(row.id) // what it reads is written first
        const stored = JSON.parse(queries.taskText(row.position)) as Record<string, unknown>
        const replayed = taskOf(view)
        const mismatches = differences(stored, replayed)
        // While a task goes on, either side may be a moment ahead: both are read again until they meet.
        if (mismatches.length > 0 && tries < patience) {
          await new Promise(resolve => setImmediate(resolve))
          continue
        }
        return {
          task_id: row.id,
          events: view.revision + 1,
          state_hash: digestOfBody(replayed),
          matches: mismatches.length === 0,
          mismatches,
        }
      }
    },
  }
}
export type Recall = ReturnType<typeof createRecall>
