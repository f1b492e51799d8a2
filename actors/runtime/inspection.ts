// Turns XState's inspection events into messages for Stately's inspector, in the format of @statelyai/inspect 0.7.
import type { EventObject, InspectionEvent, Snapshot } from 'xstate'
import type { StoredEvent, ViewSnapshot } from './logic.ts'

const format = '0.7.2'

/** The chart of an actor as JSON, for an inspector to draw. Without a chart in its logic: only the actor's name. */
const definitionOf = (actorRef: InspectionEvent['actorRef'], name: string): string => {
  const logic = 'logic' in actorRef ? actorRef.logic : undefined
  const config =
    typeof logic === 'object' && logic !== null && 'config' in logic ? logic.config : { id: name }
  return JSON.stringify(config)
}

/** A stored event with its data, without its header. */
const eventOf = (event: EventObject): object => {
  const { type, stored } = event as StoredEvent
  return stored === undefined ? event : { type, data: stored.data }
}
/** The state in the chart. The view is left out: it may be large, and messages are kept. */
const stateOf = (snapshot: Snapshot<unknown>): object => {
  const { status, value } = snapshot as ViewSnapshot<unknown>
  return { status, value }
}

/** The message for an inspection event; undefined: inspectors do not use it. Its `name` is the actor's stream. */
export const inspectionMessage = (inspected: InspectionEvent): string | undefined => {
  const { type, actorRef, rootId } = inspected
  const { sessionId } = actorRef
  const name = 'id' in actorRef ? String(actorRef.id) : sessionId
  const about = { type, name, id: null, sessionId, rootId, createdAt: String(Date.now()), _version: format }
  if (type === '@xstate.actor') {
    const definition = definitionOf(actorRef, name)
    // The state of the actor comes with its first snapshot.
    return JSON.stringify({ ...about, definition, snapshot: { status: 'active' } })
  }
  if (type === '@xstate.event') return JSON.stringify({ ...about, event: eventOf(inspected.event) })
  if (type === '@xstate.snapshot') {
    const { event, snapshot } = inspected
    return JSON.stringify({ ...about, event: eventOf(event), snapshot: stateOf(snapshot) })
  }
  return undefined
}
