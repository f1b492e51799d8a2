// What XState's inspection says of running actors, for developers.
import type { InspectionEvent } from 'xstate'

/** An inspection event as a line of JSON: which actor, the event that it took, and where it stands then. */
export const inspectionLine = (inspected: InspectionEvent): string => {
  const { type, actorRef } = inspected
  const event = 'event' in inspected ? { event: inspected.event } : {}
  const snapshot = 'snapshot' in inspected ? { snapshot: inspected.snapshot } : {}
  return `${JSON.stringify({ type, id: 'id' in actorRef ? actorRef.id : undefined, ...event, ...snapshot })}\n`
}
