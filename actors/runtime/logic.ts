// The logic of an actor for XState: its transition is the fold of a stored event, and the context of its snapshot is
// the view that decisions read. There is no other copy of an actor's state. Replay, projections and tests use the same
// fold without an actor.
//
// XState's own interpreter of charts would take four times as long for an event. So the fold looks the event up in the
// table that src/contract/charts/chart.ts makes of the chart, and tests check that XState's interpreter comes to the same
// states (test/actors/machines.ts).
import type { ActorLogic, ActorRef, EventObject, InspectionEvent, Snapshot } from 'xstate'
import { type Chart, nestedValue, type StateValue } from '../../src/contract/charts/chart.ts'
import type { Recorded } from '../../src/contract/stored.ts'

/** Receives XState's inspection events. The id of an actor is the name of its stream. */
export type Inspect = (event: InspectionEvent) => void

/**
 * `value`: the state in the chart, nested as XState writes it. `context`: the view. The fold changes the view in place,
 * so an earlier snapshot shows the newest view; `value` is that of its own moment.
 */
export type ViewSnapshot<View> = Snapshot<undefined> & { value: StateValue; context: View }

/** An event of the log as XState takes it. XState's own events, such as `xstate.stop`, have no `stored`. */
export type StoredEvent = EventObject & { stored?: Recorded }

/** `config`: an inspector draws the chart that it finds here. */
export type Logic<View> = ActorLogic<ViewSnapshot<View>, StoredEvent> & { config: Chart }
export type LogicRef<View> = ActorRef<ViewSnapshot<View>, StoredEvent>

/** What makes the logic of a kind: its chart, the view of a stream without events, and the fold. */
export type Folded<View> = {
  chart: Chart
  empty(): View
  /** Folds one event of the stream into the view, in place, and does nothing else: it may not be durable yet. */
  evolve(view: View, event: Recorded): void
  /** The path of the innermost state, such as `working.calling`. */
  placeOf(view: View): string
}

/** Charts have few states, and each event of each task would make the value of one. */
const values = new Map<string, StateValue>()
const valueAt = (place: string): StateValue => {
  const known = values.get(place) ?? nestedValue(place)
  values.set(place, known)
  return known
}

/** The snapshot of a view that was folded without an actor. An actor begins with it. */
export const snapshotOf = <View>(
  { placeOf }: Pick<Folded<View>, 'placeOf'>,
  view: View,
): ViewSnapshot<View> => ({
  status: 'active',
  output: undefined,
  error: undefined,
  value: valueAt(placeOf(view)),
  context: view,
})

export const logicOf = <View>(folded: Folded<View>): Logic<View> => {
  const { chart, empty, evolve, placeOf } = folded
  return {
    config: chart,
    transition(snapshot, { stored }) {
      if (stored === undefined) return snapshot
      const view = snapshot.context
      const before = placeOf(view)
      evolve(view, stored)
      return placeOf(view) === before ? snapshot : snapshotOf(folded, view)
    },
    getInitialSnapshot: () => snapshotOf(folded, empty()),
    getPersistedSnapshot: snapshot => snapshot,
  }
}
