// A stored event as it is told, and its JSON text: made once, whoever sends it, so that it is the same bytes everywhere.
import type { PublicEvent } from '../contract/public-events.ts'
import type { Recorded } from '../contract/stored.ts'
import { publicEventOf } from '../history/public-events.ts'

/** A public event, whose it is, and the position of the stored one that it tells. */
export type Told = { position: number; owner: string; event: PublicEvent }

const ofBatches = new WeakMap<readonly Recorded[], Told[]>()
/** The public ones of these events: made once for all who are handed the same list. */
export const toldOf = (events: readonly Recorded[]): readonly Told[] => {
  const known = ofBatches.get(events)
  if (known !== undefined) return known
  const told: Told[] = []
  for (const recorded of events) {
    const event = publicEventOf(recorded)
    if (event !== undefined) told.push({ position: recorded.position, owner: recorded.header.owner, event })
  }
  ofBatches.set(events, told)
  return told
}

/** Some readers take these for the end of a line, and JSON lets them stand: inside JSON an escape is the same. */
const lineEnds = /[\u0085\u2028\u2029]/g
export const jsonLine = (json: string): string =>
  json.replace(lineEnds, end => `\\u${end.charCodeAt(0).toString(16).padStart(4, '0')}`)

const bodies = new WeakMap<Told, string>()
/** One line of JSON. */
export const bodyOf = (told: Told): string => {
  const known = bodies.get(told) ?? jsonLine(JSON.stringify(told.event))
  bodies.set(told, known)
  return known
}

/** The first index whose position is after `position`. */
export const indexAfter = (told: readonly Told[], position: number): number => {
  let low = 0
  let high = told.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((told[middle] as Told).position <= position) low = middle + 1
    else high = middle
  }
  return low
}
