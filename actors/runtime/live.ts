// The running XState actor that goes along with a stream in memory. It receives each event after it is stored, so it never
// knows more than the log; it starts where the fold of the stored events ends, and replay does without it.
import { type ActorLogic, createActor, type EventObject, type InspectionEvent, type Snapshot } from 'xstate'
import type { Recorded } from '../../src/contract/stored.ts'

/** An event of a stream as its XState actor takes it. */
export type LiveEvent = EventObject & { data?: unknown }
/** What one kind of actor gives for it. */
export type Chart<S extends Snapshot<undefined>> = {
  logic: ActorLogic<S, LiveEvent>
  /** Where the folded events have led. */
  snapshot: () => S
}

/** Sees what running actors do; the id of an actor is the name of its stream. */
export type Inspect = (event: InspectionEvent) => void

export type Live = { take(event: Recorded): void; stop(): void }

export const startLive = <S extends Snapshot<undefined>>(
  stream: string,
  { logic, snapshot }: Chart<S>,
  inspect: Inspect | undefined,
): Live => {
  const options = { id: stream, snapshot: snapshot(), ...(inspect === undefined ? {} : { inspect }) }
  const actor = createActor(logic, options).start()
  return {
    take: ({ header, data }) => actor.send({ type: header.type, data }),
    stop: () => void actor.stop(),
  }
}

/** An inspection event as a line of JSON: which actor, the event that it took, and where it stands then. */
export const inspectionLine = (inspected: InspectionEvent): string => {
  const { type, actorRef } = inspected
  const event = 'event' in inspected ? { event: inspected.event } : {}
  const snapshot = 'snapshot' in inspected ? { snapshot: inspected.snapshot } : {}
  return `${JSON.stringify({ type, id: 'id' in actorRef ? actorRef.id : undefined, ...event, ...snapshot })}\n`
}
