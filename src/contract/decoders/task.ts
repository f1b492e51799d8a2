// The events of a task, read from its stream.

import { type TaskEvent, type TaskEventType, taskEventSchemas } from '../events/task-events.ts'
import type { Recorded } from '../stored.ts'
import { isTaskStream } from '../task-stream.ts'
import { decoderOf } from './decoder.ts'

/** A stored event of a task; `Type` narrows it to some types. */
export type RecordedTaskEvent<Type extends TaskEventType = TaskEventType> = Recorded<
  Extract<TaskEvent, { type: Type }>
>

export const taskEvents = decoderOf<TaskEvent>('task', isTaskStream, Object.keys(taskEventSchemas))
