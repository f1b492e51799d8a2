// Finds streams of a kind whose first event has no data any more, because they were erased before the read models were
// made.
import type { Recorded } from '../src/contract/stored.ts'

/** The first event of an erased stream. */
export type ErasedStream = { stream: string; position: number; owner: string }

export const createErasedStreams = (isOfKind: (stream: string) => boolean) => {
  let begun = new Map<string, ErasedStream>()
  return {
    /** Called with each event of the log. Returns whether it shows that a stream of this kind was erased. */
    follow({ position, header, erased_by }: Recorded): boolean {
      const { stream, revision, owner } = header
      if (erased_by === undefined || revision !== 0 || !isOfKind(stream)) return false
      begun.set(stream, { stream, position, owner })
      return true
    },
    /** Whether the stream was found since the last call of `take`. */
    has: (stream: string): boolean => begun.size > 0 && begun.has(stream),
    /** Returns the streams that were found since the last call. */
    take(): Iterable<ErasedStream> {
      const taken = begun
      begun = new Map()
      return taken.values()
    },
    forget(): void {
      begun = new Map()
    },
  }
}
