// A public event as it is published, and its JSON text. The text is made once, so that SSE, WebSocket and NATS send the
// same bytes.
import type { PublicEvent } from '../contract/public-events.ts'
import type { Recorded } from '../contract/stored.ts'
import { publicEventOf } from '../history/public-events.ts'

/**
 * A public event, its owner, the session of its stream, and the position of the stored event that it was made from.
 */
export type Published = { position: number; owner: string; sessionId?: string; event: PublicEvent }

const ofBatches = new WeakMap<readonly Recorded[], Published[]>()
/** The public events of these stored events, made once for all callers that pass the same list. */
export const publishedOf = (recorded: readonly Recorded[]): readonly Published[] => {
  const known = ofBatches.get(recorded)
  if (known !== undefined) return known
  const events: Published[] = []
  for (const one of recorded) {
    const event = publicEventOf(one)
    if (event === undefined) continue
    const { owner, session_id: sessionId } = one.header
    events.push({ position: one.position, owner, sessionId, event })
  }
  ofBatches.set(recorded, events)
  return events
}

/** JSON allows these characters in texts, but some readers take them for the end of a line. They are escaped. */
const lineEnds = /[\u0085\u2028\u2029]/g
export const jsonLine = (json: string): string =>
  json.replace(lineEnds, end => `\\u${end.charCodeAt(0).toString(16).padStart(4, '0')}`)

const bodies = new WeakMap<Published, string>()
/** The event as one line of JSON. */
export const bodyOf = (published: Published): string => {
  const known = bodies.get(published) ?? jsonLine(JSON.stringify(published.event))
  bodies.set(published, known)
  return known
}

/** The index of the first event after `position`. */
export const indexAfter = (events: readonly Published[], position: number): number => {
  let low = 0
  let high = events.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((events[middle] as Published).position <= position) low = middle + 1
    else high = middle
  }
  return low
}
