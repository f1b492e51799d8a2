// What XState's inspection says of running actors, as messages that Stately's inspector reads: the format of
// @statelyai/inspect 0.7.
import type { InspectionEvent } from 'xstate'

const format = '0.7.2'

/** The chart of an actor, where its logic has one: an inspector draws it. */
const definitionOf = (actorRef: InspectionEvent['actorRef'], name: string): string => {
  const logic = 'logic' in actorRef ? actorRef.logic : undefined
  const config =
    typeof logic === 'object' && logic !== null && 'config' in logic ? logic.config : { id: name }
  return JSON.stringify(config)
}

/** undefined: an inspector shows nothing of it. `name`: the stream of the actor. */
export const inspectionMessage = (inspected: InspectionEvent): string | undefined => {
  const { type, actorRef, rootId } = inspected
  const { sessionId } = actorRef
  const name = 'id' in actorRef ? String(actorRef.id) : sessionId
  const about = { type, name, id: null, sessionId, rootId, createdAt: String(Date.now()), _version: format }
  if (type === '@xstate.actor') {
    const definition = definitionOf(actorRef, name)
    // Its state comes with its first snapshot.
    return JSON.stringify({ ...about, definition, snapshot: { status: 'active' } })
  }
  if (type === '@xstate.event') return JSON.stringify({ ...about, event: inspected.event })
  if (type === '@xstate.snapshot') {
    return JSON.stringify({ ...about, event: inspected.event, snapshot: inspected.snapshot })
  }
  return undefined
}
