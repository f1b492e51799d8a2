// Finds out which streams of a kind were erased. A new erasure is found by its event PayloadsErased. When read models
// are made again, an erased stream is found by its first event, which has no data any more.
import { erasureEvents } from '../src/contract/decoders/erasure.ts'
import type { Recorded } from '../src/contract/stored.ts'

/** The first event of an erased stream. */
export type ErasedStream = { stream: string; position: number; owner: string }

export const createErasedStreams = (isOfKind: (stream: string) => boolean) => {
  let begun: ErasedStream[] = []
  let named: string[] = []
  const forget = (): void => {
    begun = []
    named = []
  }
  return {
    /** Called with each event of the log. Returns whether it shows that streams of this kind were erased. */
    follow(event: Recorded): boolean {
      const { stream, revision, owner } = event.header
      const before = begun.length + named.length
      if (event.erased_by !== undefined && revision === 0 && isOfKind(stream))
        begun.push({ stream, position: event.position, owner })
      const erasure = erasureEvents.find(event)
      if (erasure?.type === 'PayloadsErased') named.push(...erasure.data.streams.filter(isOfKind))
      return begun.length + named.length > before
    },
    /**
     * Returns the erased streams that were found since the last call. `begun`: streams whose first event came without
     * data. `named`: streams of which the tables may still have rows.
     */
    take(): { begun: ErasedStream[]; named: string[] } {
      const taken = { begun, named }
      forget()
      return taken
    },
    forget,
  }
}
