// A view of a task is put together from parts. Each is the fold of one idea: what it keeps, and what events change in it.
import type { RecordedTaskEvent } from '../../contract/decoders/task.ts'
import type { Header } from '../../contract/stored.ts'
import { type TaskEventData, type TaskEventType, taskEventSchemas } from '../../contract/task-events.ts'
import { arrive, beginCourse, type Course, move } from './course.ts'

type Fold<View, Type extends TaskEventType> = (view: View, data: TaskEventData<Type>, header: Header) => void

/** `Own`: what the part keeps; `Needs`: what it reads of parts that stand before it. */
export type Part<Own, Needs = unknown> = {
  /** Sets all of its own as it is before the first event. */
  begin(view: Own): void
  folds: { readonly [Type in TaskEventType]?: Fold<Own & Needs, Type> }
}

/** A view that has a course and these parts; each event goes through the parts in their order. */
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
    /** Moves the view by one event of its stream. Throws when the event does not fit what came before. */
    evolve(view: View, event: RecordedTaskEvent): View {
      const { type, data, header } = event
      move(view, event)
      for (const fold of folds[type]) fold(view, data, header)
      arrive(view, event)
      return view
    },
  }
}
