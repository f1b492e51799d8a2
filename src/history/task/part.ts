// A view of a task consists of parts. Each part is one fold: the fields that it keeps, and how events change them.
import type { RecordedTaskEvent } from '../../contract/decoders/task.ts'
import {
  type TaskEventData,
  type TaskEventType,
  taskEventSchemas,
} from '../../contract/events/task-events.ts'
import type { Header } from '../../contract/stored.ts'
import { arrive, beginCourse, type Course, move } from './course.ts'

type Fold<View, Type extends TaskEventType> = (view: View, data: TaskEventData<Type>, header: Header) => void

/** `Own`: the fields of the part. `Needs`: the fields of earlier parts that this part reads. */
export type Part<Own, Needs = unknown> = {
  /** Sets the fields of the part to their values before the first event. */
  begin(view: Own): void
  folds: { readonly [Type in TaskEventType]?: Fold<Own & Needs, Type> }
}

/** Makes a view of a course and these parts. Each event goes through the parts in order. */
export const viewOf = <View extends Course>(parts: readonly Part<View, View>[]) => {
  type AnyFold = Fold<View, TaskEventType>
  const types = Object.keys(taskEventSchemas) as (keyof typeof taskEventSchemas)[]
  const folds = Object.fromEntries(
    types.map(type => [type, parts.flatMap(part => (part.folds[type] as AnyFold | undefined) ?? [])]),
  ) as Record<TaskEventType, AnyFold[]>
  return {
    empty(): View {
      const view = {} as View
      beginCourse(view)
      for (const part of parts) part.begin(view)
      return view
    },
    /** Applies one event of the stream to the view. Throws when the event cannot follow the earlier events. */
    evolve(view: View, event: RecordedTaskEvent): View {
      const { type, data, header } = event
      move(view, event)
      for (const fold of folds[type]) fold(view, data, header)
      arrive(view, event)
      return view
    },
  }
}
