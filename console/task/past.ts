// Keeps the stored events of a task, and computes the view of the task after any of them, with the server's own code.
// Copies of views along the way let a reader go back without folding from the first event.

import { isMove } from '../../src/contract/charts/task-state.ts'
import { type RecordedTaskEvent, taskEvents } from '../../src/contract/decoders/task.ts'
import type { Recorded } from '../../src/contract/stored.ts'
import { emptyShown, evolveShown, type ShownTask } from '../../src/history/task-view.ts'

export type Event = RecordedTaskEvent

/** The number of events between two copies of a view. To fold this many events takes a few milliseconds. */
const apart = 1000

/** A copy of a value of a view. The items and what they hold never change, so the copy shares them. */
const copyOf = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(flatCopyOf)
  if (value instanceof Map) return new Map([...value].map(([key, each]) => [key, flatCopyOf(each)]))
  if (value instanceof Set) return new Set(value)
  return value
}
const isPlain = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
const flatCopyOf = (value: unknown): unknown => (isPlain(value) ? { ...value } : value)

/**
 * A copy of a view. It does not change when the original takes further events. All views share `indexOf`, the places of
 * the items: an item has the same place in every view that has it, and the map of a long task is too long to be copied
 * while a slider moves.
 */
const copyView = ({ output, pendingCalls, indexOf, ...view }: ShownTask): ShownTask => {
  const copied = Object.fromEntries(Object.entries(view).map(([name, value]) => [name, copyOf(value)]))
  const shared = { output: output.slice(), pendingCalls: pendingCalls.slice(), indexOf }
  return { ...copied, ...shared } as unknown as ShownTask
}

export const createPast = () => {
  const events: Event[] = []
  /** The numbers of the events that are moves. */
  const moves: number[] = []
  /** The view after the first n × `apart` events, for each n. */
  const copies: ShownTask[] = []
  const newest = emptyShown()
  /** The view that was asked for last. While a slider moves forward, no other view is nearer to the next one. */
  let at: ShownTask | undefined

  const startFor = (count: number): ShownTask => {
    const copied = copies[Math.floor(count / apart)] ?? emptyShown()
    if (at !== undefined && at.revision + 1 <= count && at.revision > copied.revision) return at
    return copyView(copied)
  }

  return {
    events: events as readonly Event[],
    newest: newest as Readonly<ShownTask>,
    /** Adds the next stored events of the stream. Throws when an event cannot follow the events before it. */
    add(stored: readonly Recorded[]): void {
      for (const each of stored) {
        if (each.header.revision < events.length) continue // a page that was read twice
        const event = taskEvents.read(each)
        if (events.length % apart === 0) copies.push(copyView(newest))
        evolveShown(newest, event)
        if (isMove(event.type)) moves.push(events.length)
        events.push(event)
      }
    },
    /** The view after the first `count` events. The next call of this function may change it. */
    viewAfter(count: number): Readonly<ShownTask> {
      if (count >= events.length) return newest
      const view = startFor(count)
      for (let n = view.revision + 1; n < count; n++) evolveShown(view, events[n] as Event)
      at = view
      return view
    },
    /** The newest move among the first `count` events. */
    lastMove(count: number): Event | undefined {
      return events[moves.findLast(number => number < count) ?? -1]
    },
    copies: () => copies.length,
  }
}
export type Past = ReturnType<typeof createPast>
