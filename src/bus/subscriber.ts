// One subscriber of public events, and how events are handed to it.
import { type EventFilter, fits } from './event-filter.ts'
import type { Published } from './published.ts'

/** What comes next, never empty, in order; false: enough for now. The same list may be handed to others. */
export type Take = (events: readonly Published[]) => boolean

export type Subscriber = {
  filter: EventFilter
  /** It does not take all that its owner's others take. */
  chooses: boolean
  take: Take
  onFault: (error: unknown) => void
  /** What is not later was taken, or is not for it. */
  position: number
  state: 'reading' | 'live' | 'full' | 'closed'
}

/** So many characters, roughly, are handed over at once: what a slow reader holds stays small. */
const togetherAtMost = 64 * 1024
const usualLength = 512
const lengthOf = ({ event }: Published): number =>
  usualLength + (event.type === 'AgentError' ? event.error.length : 0)

/** A list in pieces that are not too long. */
const piecesOf = (events: readonly Published[]): (readonly Published[])[] => {
  if (events.length === 1) return [events]
  const pieces: Published[][] = []
  let length = Number.POSITIVE_INFINITY
  for (const event of events) {
    length += lengthOf(event)
    if (length > togetherAtMost) {
      pieces.push([])
      length = lengthOf(event)
    }
    pieces.at(-1)?.push(event)
  }
  return pieces.length === 1 ? [events] : pieces
}

export const chosenBy = ({ filter }: Pick<Subscriber, 'filter'>, events: readonly Published[]) =>
  events.filter(event => fits(filter, event))

/** Hands over a piece at a time; false when that was enough. */
export type Hand = (subscriber: Subscriber, events: readonly Published[]) => boolean

export const createHand = (): Hand => {
  // The next subscriber is mostly handed what the one before was.
  let cut: { events: readonly Published[]; pieces: (readonly Published[])[] } = { events: [], pieces: [] }
  return (subscriber, events) => {
    if (cut.events !== events) cut = { events, pieces: piecesOf(events) }
    for (const piece of cut.pieces) {
      subscriber.position = (piece.at(-1) as Published).position
      if (!subscriber.take(piece) || subscriber.state === 'closed') return false
    }
    return true
  }
}
