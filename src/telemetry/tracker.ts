// Keeps a fold for each task, which makes spans from the task's events. It is made at the first event and dropped after
// the end of the task. If an event may end a span and its task has no fold, the fold is made again from the stream.
import { type RecordedTaskEvent, taskEvents } from '../contract/decoders/task.ts'
import { ErasedEvent, type Log, type Recorded } from '../contract/stored.ts'
import { isTaskStream, taskStream } from '../contract/task-stream.ts'
import { yieldToLoop } from '../platform/loop.ts'
import { createTaskContents } from './contents.ts'
import type { Span } from './spans.ts'
import { createTaskSpans, endsSpan, endsTask } from './task-spans.ts'

type Reader = Pick<Log, 'readStream'>
type Fold = { take(event: Recorded): Promise<Span[]> }
type Created = RecordedTaskEvent<'TaskCreated'>

/**
 * The most folds in memory. If there are more, the fold that has had no event for the longest time is dropped. It is
 * made again when it is needed.
 */
const maxTasks = 10_000
/** The most folds in memory if contents are exported. Then each fold holds all messages of its task. */
const maxTasksWithContents = 200

/**
 * The id of the effect with which the parent called the task. The intent is in the parent's stream, after the event
 * that caused the creation of the task.
 */
const callerOf = async (log: Reader, { header, data }: Created): Promise<string | undefined> => {
  if (data.parent_task_id === undefined) return undefined
  const parent = taskStream(data.parent_task_id)
  const { causation_id } = header
  const after = causation_id.startsWith(`${parent}@`) ? Number(causation_id.slice(parent.length + 1)) : -1
  for await (const page of log.readStream(parent, after)) {
    for (const event of page.map(taskEvents.read)) {
      if (event.type === 'EffectIntended' && event.data.child === data.task_id) return event.data.effect_id
    }
  }
  return undefined
}

/** Makes the fold of a task. The new fold has not taken any event yet. `first` is the first event of the stream. */
const createFold = async (log: Reader, first: Recorded, withContents: boolean): Promise<Fold> => {
  const created = taskEvents.read(first)
  if (created.type !== 'TaskCreated')
    throw new Error(`${first.header.stream} begins with ${created.type}, not with TaskCreated`)
  const spans = createTaskSpans(await callerOf(log, created))
  const contents = withContents ? createTaskContents(stream => log.readStream(stream)) : undefined
  return {
    async take(stored) {
      const event = taskEvents.read(stored)
      const ended = spans.take(event)
      const said = await contents?.take(event)
      if (stored.header.copy_of !== undefined) return [] // this event is from the task that was forked
      const outermost = ended.at(-1)
      if (outermost !== undefined) Object.assign(outermost.attributes, said)
      return ended
    },
  }
}

export const createTracker = (
  log: Reader,
  withContents: boolean,
  max = withContents ? maxTasksWithContents : maxTasks,
) => {
  const folds = new Map<string, Fold>()

  /** Makes a fold from the stream. The fold has taken every event before the given one. */
  const rebuilt = async ({ header }: Recorded): Promise<Fold> => {
    let fold: Fold | undefined
    for await (const page of log.readStream(header.stream)) {
      await yieldToLoop() // lets other work run between pages
      for (const event of page) {
        fold ??= await createFold(log, event, withContents)
        if (event.header.revision >= header.revision) return fold
        await fold.take(event)
      }
    }
    throw new Error(`${header.stream} has no revision ${header.revision}`)
  }

  const keep = (stream: string, fold: Fold) => {
    folds.delete(stream)
    folds.set(stream, fold)
    if (folds.size <= max) return
    const [quietest = ''] = folds.keys()
    folds.delete(quietest)
  }

  const takeOne = async (event: Recorded): Promise<Span[]> => {
    const { stream, type, revision } = event.header
    const known = folds.get(stream)
    if (known === undefined && revision > 0 && !endsSpan.has(type)) return []
    const begin = () => (revision === 0 ? createFold(log, event, withContents) : rebuilt(event))
    const fold = known ?? (await begin())
    const spans = await fold.take(event)
    if (endsTask.has(type)) folds.delete(stream)
    else keep(stream, fold)
    return spans
  }

  /** A task that was erased, or whose caller was, gives no more spans. */
  const takeUnlessErased = async (event: Recorded): Promise<Span[]> => {
    try {
      if (event.erased_by === undefined) return await takeOne(event)
    } catch (error) {
      if (!(error instanceof ErasedEvent)) throw error
    }
    folds.delete(event.header.stream)
    return []
  }

  return {
    /** Resolves to the spans that these events end. If the call fails, the caller can pass the events again. */
    async take(events: readonly Recorded[]): Promise<Span[]> {
      const spans: Span[] = []
      try {
        for (const event of events) {
          if (isTaskStream(event.header.stream)) spans.push(...(await takeUnlessErased(event)))
        }
        return spans
      } catch (error) {
        folds.clear()
        throw error
      }
    },
  }
}
