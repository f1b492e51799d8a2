// Gives tasks as they were at a moment of the past, read from the log.
import type { PastTask } from '../../projections/tasks/lists.ts'
import type { StoredTask } from '../../projections/tasks/stored.ts'
import { taskEvents } from '../contract/decoders/task.ts'
import type { Clock } from '../contract/ports.ts'
import { Invalid, Refusal } from '../contract/refusals.ts'
import type { Log, Recorded } from '../contract/stored.ts'
import { taskStream } from '../contract/task-stream.ts'
import { localPause, type Pause } from '../fairness/slices.ts'
import type { ReadStream } from '../history/context.ts'
import { evolveFramed, type FramedTask } from '../history/task-view.ts'
import type { Text } from '../platform/pieces.ts'
import type { BegunFolds } from './begun-folds.ts'

/** A moment of a task: the event that holds a frame, a position of the log, or a time (milliseconds). */
export type Moment = { frame: number } | { position: number } | { time: number }

/** `name`: the parameter of the query that gave the moment. */
const beyond = (name = 'as_of') =>
  new Invalid([
    { loc: ['query', name], msg: 'There is no such frame, position or time yet', type: 'value_error' },
  ])

/** Whether an event is after a moment. */
const isPast = (moment: Moment, { position, header }: Recorded): boolean => {
  if ('frame' in moment) return (header.seq ?? 0) > moment.frame
  if ('position' in moment) return position > moment.position
  return Date.parse(header.time) > moment.time
}

type Deps = Pick<BegunFolds, 'viewBefore'> & {
  log: Log
  clock: Clock
  reader: (pause: Pause) => ReadStream
  textOf: (view: FramedTask, upTo: number, pause: Pause) => Text
  /** The stored text of the task whose row has this position. */
  stored: (position: number, pause: Pause) => StoredTask
}

export const createAsOf = ({ log, clock, viewBefore, reader, textOf, stored }: Deps) => {
  const check = (moment: Moment, name?: string): void => {
    if ('position' in moment && moment.position > log.head()) throw beyond(name)
    if ('time' in moment && moment.time > clock.now()) throw beyond(name)
  }
  /** The view of a task after the last event that is not later than a moment. */
  const viewAt = async (stream: string, moment: Moment, pause: Pause): Promise<FramedTask> => {
    const view = await viewBefore(stream, 'frame' in moment ? { next: moment.frame } : moment)
    for await (const page of reader(pause)(stream, view.revision)) {
      for (const event of page) {
        if (isPast(moment, event)) return view
        evolveFramed(view, taskEvents.read(event))
      }
    }
    return view
  }
  /** The view of the task at a moment. Throws Invalid for a moment of the future, or TaskNotFound. */
  const viewThen = async (
    taskId: string,
    moment: Moment,
    pause: Pause,
    name?: string,
  ): Promise<FramedTask> => {
    check(moment, name)
    const view = await viewAt(taskStream(taskId), moment, pause)
    if ('frame' in moment && moment.frame >= view.seq) throw beyond(name)
    if (view.status === 'absent' || view.deleted)
      throw new Refusal('TaskNotFound', undefined, 'the task did not exist at that moment')
    return view
  }
  /** The task at a moment. Throws what `viewThen` throws. */
  const asOf = async (taskId: string, moment: Moment, pause = localPause()): Promise<Text> => {
    const view = await viewThen(taskId, moment, pause)
    return textOf(view, view.revision, pause)
  }
  return {
    viewThen,
    asOf,

    /** The last position of the log at a moment. Throws Invalid when the moment is in the future. */
    positionAt(moment: Exclude<Moment, { frame: number }>): number {
      check(moment)
      return 'position' in moment ? moment.position : log.lastAt(moment.time)
    },

    /**
     * The texts of tasks as they were at a position. Texts of tasks that had ended by then are read, others are folded.
     */
    async textsThen(tasks: PastTask[], position: number, pause = localPause()): Promise<StoredTask[]> {
      const texts: StoredTask[] = []
      for (const task of tasks) {
        const folded = async () => ({ text: await asOf(task.id, { position }, pause), size: 0 })
        texts.push(task.hasEnded ? stored(task.position, pause) : await folded())
      }
      return texts
    },
  }
}
