// Finds out which events a log has erased. A payload may be missing only if a stored event PayloadsErased covers it.
import { type ErasedPart, erasedPartsOf } from '../../contract/erased-range.ts'
import { Misfit } from '../misfit.ts'

/** An event of the stream of erasures. Its own hashes were checked. */
export type ErasureText = { position: number; header: string; payload: string | null }
export type Erasures = {
  /** Returns the position of the event that says that this event was erased. Throws Misfit when no event says so. */
  mustCover(stream: string, position: number): number
}

/** Finds the position of the event that says that an event was erased. */
export type Covering = (stream: string, position: number) => number | undefined

/** `events`: the events of the stream of erasures. */
export const coveringIn = (events: Iterable<ErasureText>): Covering => {
  const parts = new Map<string, ErasedPart[]>()
  for (const event of events)
    for (const [stream, part] of erasedPartsOf(event)) parts.set(stream, [...(parts.get(stream) ?? []), part])
  return (stream, position) =>
    parts.get(stream)?.find(({ from, to }) => from <= position && position <= to)?.by
}

export const notErased = (stream: string, position: number): Misfit =>
  new Misfit('the event has no payload, and no stored event says that it was erased', position, stream)

/** `events`: the events of the stream of erasures. */
export const createErasures = (events: Iterable<ErasureText>): Erasures => {
  const covering = coveringIn(events)
  return {
    mustCover(stream, position) {
      const by = covering(stream, position)
      if (by === undefined) throw notErased(stream, position)
      return by
    },
  }
}
