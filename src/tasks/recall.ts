// A task's own history, read from the log: the task at an earlier moment, its rollouts, and whether the log still
// agrees with the read models.

import type { StoredTask } from '../../projections/tasks/stored.ts'
import { taskEvents } from '../contract/decoders/task.ts'
import { isLongerThan } from '../contract/length.ts'
import type { Clock } from '../contract/ports.ts'
import { Invalid, Refusal } from '../contract/refusals.ts'
import type { Replay } from '../contract/responses.ts'
import type { Log, Recorded } from '../contract/stored.ts'
import { stateAfter, type TaskState } from '../contract/task-state.ts'
import { taskStream } from '../contract/task-stream.ts'
import { isTerminal, type Task } from '../contract/wire.ts'
import { createPause, nextTurn, type Pause, readWithPauses } from '../fairness/slices.ts'
import { atifOf } from '../history/atif/atif.ts'
import { textsOf } from '../history/atif/text.ts'
import type { ReadStream } from '../history/context.ts'
import { createRenderer } from '../history/frame-renderer.ts'
import type { Rollout } from '../history/rollout.ts'
import type { Wanted } from '../history/rollout-survey.ts'
import { inOrder, rolloutsOf } from '../history/rollouts.ts'
import { taskOf } from '../history/task-object.ts'
import { evolveFramed, type FramedTask } from '../history/task-view.ts'
import { arrayOf, joined, type Pieces, type Text, wholeAtMost, withoutEnd } from '../platform/pieces.ts'
import { createBegunFolds } from './begun-folds.ts'
import type { Queries, TaskRow } from './queries.ts'
import { replayTask } from './replay-task.ts'

/** A moment of a task: the event that holds a frame, a position of the log, or a time (milliseconds). */
export type Moment = { frame: number } | { position: number } | { time: number }

/** The pause for a reader in this process. A reader over the network gives its own pause. */
const usualPause = (): Pause => createPause(nextTurn, () => {})

const beyond = () =>
  new Invalid([
    { loc: ['query', 'as_of'], msg: 'There is no such frame, position or time yet', type: 'value_error' },
  ])

/** The task object of a view as JSON. The items of a long task are written while the reader takes them. */
const jsonOfTask = (view: FramedTask): Text => {
  const task = taskOf(view)
  return isLongerThan(task, wholeAtMost) ? piecesOf(task) : JSON.stringify(task)
}
async function* piecesOf({ output, ...fields }: Task): AsyncGenerator<string> {
  yield `${JSON.stringify(fields).slice(0, -1)},"output":[`
  for (const [n, item] of output.entries()) yield (n === 0 ? '' : ',') + JSON.stringify(item)
  yield ']}'
}

async function* linesOf(rollouts: AsyncIterable<Rollout>, pause: Pause): AsyncGenerator<string> {
  for await (const rollout of rollouts) {
    yield JSON.stringify(rollout)
    await pause()
  }
}

/** A task object with its rollouts as the last field. */
const withRollouts = (task: Text, rollouts: Pieces): Text =>
  joined(withoutEnd(task), ',"rollouts":', rollouts, '}')

/** Whether an event is after a moment. */
const isPast = (moment: Moment, { position, header }: Recorded): boolean => {
  if ('frame' in moment) return (header.seq ?? 0) > moment.frame
  if ('position' in moment) return position > moment.position
  return Date.parse(header.time) > moment.time
}

async function* timedFrames(read: ReadStream, stream: string): AsyncGenerator<string> {
  const renderer = createRenderer(read)
  for await (const page of read(stream)) {
    for (const event of page) {
      for (const frame of await renderer.render(event)) {
        yield JSON.stringify({ time: event.header.time, ...frame })
      }
    }
  }
}

/** The state after more events. */
const stateOf = async (before: TaskState, pages: AsyncIterable<Recorded[]>): Promise<TaskState> => {
  let state = before
  for await (const page of pages) {
    for (const { type, data } of page.map(taskEvents.read)) state = stateAfter(state, type, data)
  }
  return state
}

export const createRecall = (log: Log, queries: Queries, clock: Clock) => {
  const { viewBefore, newestState } = createBegunFolds(log, queries.folds)
  const reader = (pause: Pause): ReadStream => readWithPauses(log.readStream, pause)

  /** The rollouts of a task as a JSON array. */
  const arrayOfRollouts = (stream: string, wanted: Wanted, pause = usualPause()): Pieces =>
    arrayOf(linesOf(rolloutsOf(reader(pause), stream, wanted), pause))

  /** The task of a view as JSON text; with its rollouts when it was asked to return them and has ended. */
  const textOf = (view: FramedTask, upTo?: number, pause = usualPause()): Text => {
    const text = jsonOfTask(view)
    const { created } = view
    if (!created?.request.return_rollout || !isTerminal(view.status)) return text
    const wanted = upTo === undefined ? {} : { upTo }
    return withRollouts(text, arrayOfRollouts(taskStream(created.task_id), wanted, pause))
  }

  return {
    textOf,

    /** The text of the task of a fresh row, with its approximate size in bytes. `isFolded`: the text has rollouts. */
    ofRow(row: TaskRow, pause = usualPause()): StoredTask & { isFolded: boolean } {
      const { text, size } = queries.task(row.position, pause)
      if (row.rollouts === 0 || !isTerminal(row.status)) return { text, size, isFolded: false }
      const rollouts = arrayOfRollouts(taskStream(row.id), {}, pause)
      return { text: withRollouts(text, rollouts), size, isFolded: true }
    },

    /** The rollouts of a task, each as JSON. */
    rollouts: (taskId: string, pause = usualPause()): AsyncGenerator<string> =>
      linesOf(rolloutsOf(reader(pause), taskStream(taskId)), pause),

    /** The frames of a task, each as JSON with the time of its event. Rollouts have a file of their own. */
    logLines: (taskId: string, pause = usualPause()): AsyncGenerator<string> =>
      timedFrames(reader(pause), taskStream(taskId)),

    /** The task as an ATIF document, as JSON. */
    async *atif(taskId: string, pause = usualPause()): AsyncGenerator<string> {
      yield* textsOf(await atifOf(reader(pause), taskStream(taskId)))
    },

    /** Rollouts of all tasks of one user, or of all users, after a position, each as JSON. */
    bulk(after: number, limit: number, user?: string, pause = usualPause()): AsyncGenerator<string> {
      const wanted = { subagents: false, summaries: true }
      const steps = queries.steps(after, limit, user)
      const rollouts = inOrder(
        steps.map(({ position, id }) => ({ position, stream: taskStream(id) })),
        (stream, after) => rolloutsOf(reader(pause), stream, { ...wanted, after }),
      )
      return linesOf(rollouts, pause)
    },

    /** The task at a moment: after the last event that is not later. */
    async asOf(taskId: string, moment: Moment, pause = usualPause()): Promise<Text> {
      if ('position' in moment && moment.position > log.head()) throw beyond()
      if ('time' in moment && moment.time > clock.now()) throw beyond()
      const stream = taskStream(taskId)
      const view = await viewBefore(stream, 'frame' in moment ? { next: moment.frame } : moment)
      for await (const page of reader(pause)(stream, view.revision)) {
        for (const event of page) if (!isPast(moment, event)) evolveFramed(view, taskEvents.read(event))
      }
      if ('frame' in moment && moment.frame >= view.seq) throw beyond()
      if (view.status === 'absent')
        throw new Refusal('TaskNotFound', undefined, 'the task did not exist at that moment')
      return textOf(view, view.revision, pause)
    },

    /** Where a task is in its chart. */
    async state(taskId: string, pause = usualPause()): Promise<TaskState> {
      const stream = taskStream(taskId)
      const { state, revision } = await newestState(stream)
      return stateOf(state, reader(pause)(stream, revision))
    },

    /** Folds the stored events again, frames included, and compares the task with the read models. */
    replay: (row: TaskRow, pause = usualPause()): Promise<Replay> =>
      replayTask(reader(pause), queries, row, pause),
  }
}
export type Recall = ReturnType<typeof createRecall>
