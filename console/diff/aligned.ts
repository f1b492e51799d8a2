// Puts the stored events of two tasks into pairs, as the server does when it compares tasks. A moment of the comparison
// is a number of pairs, so it is a moment of both tasks.
import { isTiming } from '../../src/history/diff/content.ts'
import type { Event } from '../task/past.ts'

type Side = {
  events: readonly Event[]
  /** How many events have been looked at. */
  seen: number
  /** For each event that is compared: the number of events up to and including this event. */
  ends: number[]
}

const look = (side: Side): void => {
  for (const { type, header } of side.events.slice(side.seen))
    if (!isTiming(type)) side.ends.push(header.revision + 1)
  side.seen = side.events.length
}
/** The event of a side in the pair with this number. Pairs are counted from 1. */
const eventIn = ({ events, ends }: Side, pair: number): Event | undefined => events[(ends[pair - 1] ?? 0) - 1]

const reaches = (event: Event | undefined, frame: number): boolean => {
  const { seq = 0, frames = 0 } = event?.header ?? {}
  return frames > 0 && seq + frames > frame
}

/** The lists of events may grow. `update` takes in the new events. */
export const createAligned = (left: readonly Event[], right: readonly Event[]) => {
  const sides = [left, right].map((events): Side => ({ events, seen: 0, ends: [] })) as [Side, Side]
  const length = () => Math.max(...sides.map(({ ends }) => ends.length))
  const countOf = ({ events, ends }: Side, moment: number): number =>
    moment >= ends.length ? events.length : (ends[moment - 1] ?? 0)
  return {
    update: () => sides.forEach(look),
    length,
    /** The number of events of each task up to a moment. */
    countsAt: (moment: number): [number, number] => [countOf(sides[0], moment), countOf(sides[1], moment)],
    /** The moment after the first pair that has a frame with this number or a later one. */
    momentOf(frame: number): number | undefined {
      for (let pair = 1; pair <= length(); pair++)
        if (sides.some(side => reaches(eventIn(side, pair), frame))) return pair
      return undefined
    },
  }
}
