// Describes a subscriber of public events, and hands events to it.
import { type EventFilter, fits } from './event-filter.ts'
import type { Published } from './published.ts'

/**
 * Takes the next events, in order and never an empty list. Returns false when the subscriber has enough for now. Other
 * subscribers may get the same list, so it must not be changed.
 */
export type Take = (events: readonly Published[]) => boolean

export type Subscriber = {
  filter: EventFilter
  /** Whether `filter` may leave out events that a subscriber without a filter gets. */
  chooses: boolean
  take: Take
  onFault: (error: unknown) => void
  /** The position up to which the subscriber has taken all events that are for it. */
  position: number
  state: 'reading' | 'live' | 'full' | 'closed'
  /** Takes the subscriber off the list of the live ones. */
  leaveLive: () => void
}

/** Events of roughly this many characters are handed over at once, so that a slow reader holds little memory. */
const togetherAtMost = 64 * 1024
/** The length, in characters, that is assumed for an event without the text of an error. */
const assumedLength = 512
const lengthOf = ({ event }: Published): number =>
  assumedLength + (event.type === 'AgentError' ? event.error.length : 0)

/** Cuts a list of events into pieces of up to `togetherAtMost` characters. A longer event is a piece of its own. */
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

/** Hands over events piece by piece. Returns false when the subscriber has enough for now. */
export type Hand = (subscriber: Subscriber, events: readonly Published[]) => boolean

export const createHand = (): Hand => {
  // The next subscriber usually gets the same list as the one before, so its pieces are kept.
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
