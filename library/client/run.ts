// A run: the frames of one task from its creation to its rest, whatever breaks meanwhile.
import { type Answering, answererOf } from './answers.ts'
import { NotCompleted } from './errors.ts'
import { type Link, pathOf } from './link.ts'
import { resultOf } from './send.ts'
import { type Place, streamOf } from './stream.ts'
import { textOf } from './text.ts'
import type { PendingCallItem, Task, TaskFrame } from './types.ts'

export type RunOptions = Answering & {
  /** Ends the run with the reason of the signal. The task goes on: `tasks.cancel` stops it. */
  signal?: AbortSignal | undefined
  /** True: the run goes on while the task is paused, or waits for somebody else, until it has ended. */
  untilEnd?: boolean | undefined
}
export type FollowOptions = RunOptions & {
  /** The number of the last frame that is known. The default is none: the run begins with the first frame. */
  after?: number | undefined
}

/**
 * The frames of a task, each once and in order. The frames end when the task has ended, is paused, or waits for something that
 * this run does not answer. To iterate once more goes on after the last frame. While one iteration lasts, another is an error,
 * and `result()` and `text()` wait for its end.
 *
 * Nothing is sent before the first use: an iteration, or one of the methods.
 */
export type Run = AsyncIterable<TaskFrame> & {
  /** The id of the task, which is created if it was not yet. */
  id(): Promise<string>
  /** The last text of the agent. Throws NotCompleted when the task has not completed. */
  text(): Promise<string>
  /** The task when it has come to rest, with its status. */
  result(): Promise<Task>
  /** The number of the last frame; -1: there was none. */
  readonly last: number
}

type Whole = { result: TaskFrame }
type Resting = { task: Task }

const ends: ReadonlySet<string> = new Set(['task.completed', 'task.failed', 'task.canceled', 'task.expired'])
const waits: ReadonlySet<string> = new Set(['task.input_required', 'task.paused'])
const pendingOf = ({ metadata, input_required }: Task): PendingCallItem[] =>
  (metadata?.pending_inputs as PendingCallItem[] | undefined) ?? (input_required ? [input_required] : [])
const isWaiting = ({ status }: Task): boolean => status === 'input-required' || status === 'paused'

/** `begin` gives the id of the task, and creates the task if there is none. */
export const runOf = (
  link: Link,
  begin: (signal: AbortSignal) => Promise<string>,
  options: FollowOptions,
): Run => {
  const { signal, untilEnd = false, after } = options
  const leave = new AbortController()
  const place: Place = { cursor: after }
  const answerer = answererOf(link, options, leave.signal, error => leave.abort(error))
  let id: Promise<string> | undefined
  let rest: Task | undefined
  let latest: TaskFrame | undefined
  let under: Promise<void> | undefined

  const idOf = () => {
    id ??= begin(leave.signal).catch(error => {
      id = undefined // another use tries again
      throw error
    })
    return id
  }
  /** Aborts the run with the signal of its maker until the returned function is called. */
  const attach = () => {
    const aborted = () => leave.abort(signal?.reason)
    if (signal?.aborted) aborted()
    signal?.addEventListener('abort', aborted)
    return () => signal?.removeEventListener('abort', aborted)
  }

  /** The frame that follows frame `n`; undefined: there is none yet. */
  const frameAfter = async (taskId: string, n: number): Promise<TaskFrame | undefined> => {
    const query = { after: n < 0 ? undefined : n, limit: 1 }
    const path = pathOf`/v1/tasks/${taskId}/events`
    return (await resultOf<TaskFrame[]>(link, { method: 'GET', path, query, signal: leave.signal }))[0]
  }

  /** The task if it rests at this frame: nobody here answers what it waits for. */
  const restAt = async (taskId: string, frame: TaskFrame): Promise<Task | undefined> => {
    if ((await frameAfter(taskId, frame.sequence_number)) !== undefined) return undefined
    const { task } = frame as TaskFrame & Resting
    const pending = task.status === 'paused' ? [] : pendingOf(task)
    const answered = answerer.begin(taskId, pending)
    if (untilEnd || (pending.length > 0 && answerer.answersAll(pending))) return undefined
    const now = (await answered) ?? task
    return isWaiting(now) ? now : undefined
  }

  async function* frames(): AsyncGenerator<TaskFrame, void> {
    const taskId = await idOf()
    if (after !== undefined && place.cursor === after) latest = await frameAfter(taskId, after - 1)
    const judge = async () => {
      if (latest !== undefined && waits.has(latest.type)) rest = await restAt(taskId, latest)
    }
    await judge()
    if (rest !== undefined) return
    const path = pathOf`/v1/tasks/${taskId}/events`
    const events = streamOf(link, { method: 'GET', path, signal: leave.signal }, place, true)
    for await (const { data } of events) {
      const frame = (JSON.parse(data) as Whole).result
      latest = frame
      if (ends.has(frame.type)) rest = (frame as TaskFrame & Resting).task
      yield frame
      if (rest === undefined) await judge()
      if (rest !== undefined) return
    }
    rest ??= await resultOf<Task>(link, {
      method: 'GET',
      path: pathOf`/v1/tasks/${taskId}`,
      signal: leave.signal,
    })
  }

  const iterate = async function* (): AsyncGenerator<TaskFrame, void> {
    if (under !== undefined) throw new Error('this run is being iterated already')
    let done = () => {}
    under = new Promise(resolve => {
      done = resolve
    })
    const detach = attach()
    rest = undefined
    try {
      yield* frames()
    } finally {
      detach()
      under = undefined
      done()
    }
  }

  const result = async (): Promise<Task> => {
    while (rest === undefined) {
      if (under !== undefined) await under
      else for await (const _ of iterate());
    }
    return rest
  }

  return {
    [Symbol.asyncIterator]: iterate,
    id: () => idOf().finally(attach()),
    result,
    async text() {
      const task = await result()
      if (task.status !== 'completed') throw new NotCompleted(task)
      return textOf(task)
    },
    get last() {
      return Number(place.cursor ?? -1)
    },
  }
}
