// Prepares the events of a task for the append: with their owner and cause, and with the number of frames that each
// produces.
import type { ForkedEvent } from '../../src/contract/commands/commands.ts'
import { type TaskEvent, taskEventVersion } from '../../src/contract/events/task-events.ts'
import type { NewEvent, StreamAppend } from '../../src/contract/stored.ts'
import { taskStream } from '../../src/contract/task-stream.ts'
import { frameCount } from '../../src/history/frames.ts'
import type { DecidedTask } from '../../src/history/task-view.ts'
import type { Made } from './decide/events.ts'

/** The principal of a command, and its cause. */
type Asked = { principal: string; causation: string }

export const envelopeOf = (
  created: NonNullable<DecidedTask['created']>,
  { principal, causation }: Asked,
) => ({
  principal,
  owner: created.user_id,
  session_id: created.session_id,
  correlation_id: created.root_task_id ?? created.task_id,
  causation_id: causation,
})

/** Events as they are stored: each with the number of its first frame and the count of its frames. */
export const numbered = (events: TaskEvent[], from: number): NewEvent[] => {
  let seq = from
  return events.map((event): NewEvent => {
    const { type, data } = event
    const frames = frameCount(event)
    const numbered = { type, schema_version: taskEventVersion, data, seq, frames }
    seq += frames
    return numbered
  })
}

/** The events of a fork. A copy names the event of which it is a copy. */
export const numberedCopies = (events: readonly ForkedEvent[]): NewEvent[] =>
  numbered(
    events.map(({ event }) => event),
    0,
  ).map((event, n) => {
    const copy_of = events[n]?.copy_of
    return copy_of === undefined ? event : { ...event, copy_of }
  })

/** The first append of another task, stored together with events of this task. */
export const beginningOf = ({ created, events }: Made, asked: Asked): StreamAppend => ({
  stream: taskStream(created.task_id),
  expectedRevision: -1,
  justMade: true,
  ...envelopeOf(created, asked),
  events: numbered(events, 0),
})
