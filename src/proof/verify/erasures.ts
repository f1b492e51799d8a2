// Finds out which events a log has erased. A payload may be missing only if a stored event PayloadsErased covers it.
import { type ErasedPart, erasedPartsOf } from '../../contract/erased-range.ts'
import { Misfit } from '../misfit.ts'

/** An event of the stream of erasures. Its own hashes were checked. */
export type ErasureText = { position: number; header: string; payload: string | null }
export type Erasures = {
  /** Returns the position of the event that says that this event was erased. Throws Misfit when no event says so. */
  mustCover(stream: string, position: number): number
}

/**
 * `read` gives the events of the stream of erasures. It is called again when no known erasure covers an event, since
 * the event may have been erased meanwhile.
 */
export const createErasures = (read: () => Iterable<ErasureText>): Erasures => {
  let parts: Map<string, ErasedPart[]> | undefined
  const readAgain = (): Map<string, ErasedPart[]> => {
    const found = new Map<string, ErasedPart[]>()
    for (const event of read())
      for (const [stream, part] of erasedPartsOf(event))
        found.set(stream, [...(found.get(stream) ?? []), part])
    parts = found
    return found
  }
  const find = (known: Map<string, ErasedPart[]>, stream: string, position: number) =>
    known.get(stream)?.find(({ from, to }) => from <= position && position <= to)
  return {
    mustCover(stream, position) {
      const part = find(parts ?? readAgain(), stream, position) ?? find(readAgain(), stream, position)
      if (part !== undefined) return part.by
      throw new Misfit(
        'the event has no payload, and no stored event says that it was erased',
        position,
        stream,
      )
    },
  }
}
