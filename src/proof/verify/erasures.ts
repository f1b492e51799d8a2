// Which events a log says it has erased. A payload may be gone only if a stored event PayloadsErased covers it.
import { type ErasedRange, erasablePrefixes, payloadsErased } from '../../contract/erased-range.ts'
import { Misfit } from '../misfit.ts'

/** An event of the stream of erasures, whose hashes were checked. */
export type ErasureText = { position: number; header: string; payload: string | null }
type Range = { from: number; to: number; by: number }

export type Erasures = {
  /** The position of the event that erased the event at a position of a stream. Throws Misfit. */
  mustCover(stream: string, position: number): number
}

const rangesIn = ({ position, header, payload }: ErasureText): [string, Range][] => {
  const { type } = JSON.parse(header) as { type: string }
  if (type !== payloadsErased) return []
  const { streams, from, to } = JSON.parse(payload ?? '{"streams":[]}') as ErasedRange
  return streams
    .filter(stream => to < position && erasablePrefixes.some(prefix => stream.startsWith(prefix)))
    .map(stream => [stream, { from, to, by: position }])
}

/**
 * `read` gives the events of the stream of erasures. It is called again when an event is not covered, since the log may
 * have erased the event meanwhile.
 */
export const createErasures = (read: () => Iterable<ErasureText>): Erasures => {
  let ranges: Map<string, Range[]> | undefined
  const readAgain = (): Map<string, Range[]> => {
    const found = new Map<string, Range[]>()
    for (const event of read())
      for (const [stream, range] of rangesIn(event)) found.set(stream, [...(found.get(stream) ?? []), range])
    ranges = found
    return found
  }
  const find = (known: Map<string, Range[]>, stream: string, position: number) =>
    known.get(stream)?.find(({ from, to }) => from <= position && position <= to)
  return {
    mustCover(stream, position) {
      const range = find(ranges ?? readAgain(), stream, position) ?? find(readAgain(), stream, position)
      if (range !== undefined) return range.by
      throw new Misfit(
        'the event has no payload, and no stored event says that it was erased',
        position,
        stream,
      )
    },
  }
}
