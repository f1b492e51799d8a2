// Finds where the past of a fork ends: at the end of the append that gave a frame. Reads this past from the log.
import { type RecordedTaskEvent, taskEvents } from '../../contract/decoders/task.ts'
import { Invalid } from '../../contract/refusals.ts'
import type { Header } from '../../contract/stored.ts'
import { taskStream } from '../../contract/task-stream.ts'
import type { ReadStream } from '../../history/context.ts'
import { type DecidedTask, emptyDecided, evolveDecided } from '../../history/task-view.ts'

/**
 * The most events that one append copies. The event loop waits for an append of this size for a fraction of a second.
 */
export const mostCopied = 50_000

const wrongFrame = (msg: string) => new Invalid([{ loc: ['body', 'at'], msg, type: 'value_error' }])

/** Events of one append follow each other, at one time, by one principal and for one cause. */
const isSameAppend = (one: Header, next: Header): boolean =>
  one.time === next.time && one.principal === next.principal && one.causation_id === next.causation_id

/**
 * The revision at which the append with this event ends. A fork stores its past in one append, so for an event of this
 * past, the appends of the copied task count.
 */
const appendEnd = async (read: ReadStream, stream: string, revision: number): Promise<number> => {
  let [end, last]: [number, Header | undefined] = [revision, undefined]
  for await (const page of read(stream)) {
    for (const stored of page) {
      const { header } = stored
      const event = taskEvents.read(stored)
      const from = event.type === 'TaskCreated' ? event.data.forked_from : undefined
      if (from !== undefined && revision <= from.revision) {
        return Math.min(from.revision, await appendEnd(read, taskStream(from.task_id), revision))
      }
      if (header.revision < revision) continue
      if (last !== undefined && !isSameAppend(last, header)) return end
      end = header.revision
      last = header
    }
  }
  return end
}

/** The revision of the event that gives a frame. Throws Invalid when there is no such frame. */
const revisionOf = async (read: ReadStream, stream: string, frame: number): Promise<number> => {
  for await (const page of read(stream)) {
    for (const { header } of page) {
      const { seq = 0, frames = 0 } = header
      if (frame >= seq && frame < seq + frames) return header.revision
    }
  }
  throw wrongFrame('The task has no such frame yet')
}

export type Cut = {
  events: RecordedTaskEvent[]
  /** The task after these events. */
  view: DecidedTask
  /** The last position of the log that counts for the fork. */
  position: number
}

/** The past of a task up to a frame. Throws Invalid when there is no such frame, or when the past is too long. */
export const cutAt = async (read: ReadStream, taskId: string, frame: number): Promise<Cut> => {
  const stream = taskStream(taskId)
  const end = await appendEnd(read, stream, await revisionOf(read, stream, frame))
  if (end >= mostCopied) {
    throw wrongFrame(`Give an earlier frame: a fork copies ${mostCopied} events at most`)
  }
  const events: RecordedTaskEvent[] = []
  const view = emptyDecided()
  for await (const page of read(stream)) {
    for (const stored of page) {
      if (stored.header.revision > end) return { events, view, position: view.position }
      const event = taskEvents.read(stored)
      events.push(event)
      evolveDecided(view, event)
    }
  }
  return { events, view, position: view.position }
}
