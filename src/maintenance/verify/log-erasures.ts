// Reads from a log which of its events were erased.
import { erasureStream } from '../../contract/erased-range.ts'
import type { StoredRow, StoredRows } from '../../log/storage.ts'
import { type Covering, coveringIn, notErased } from '../../proof/verify/erasures.ts'
import { mustFit } from '../../proof/verify/event-check.ts'

export type LogErasures = {
  /** Rejects with Misfit when no stored event says that this event was erased. */
  mustCover(stream: string, position: number): Promise<void>
}

/** The stream of erasures is read again when no known one covers an event, which may have been erased meanwhile. */
export const erasuresOf = (rows: StoredRows): LogErasures => {
  let known: Covering | undefined
  const read = async (): Promise<Covering> => {
    const events: StoredRow[] = []
    for await (const page of rows.ofStream(erasureStream)) {
      for (const row of page) mustFit(row)
      events.push(...page)
    }
    known = coveringIn(events)
    return known
  }
  return {
    async mustCover(stream, position) {
      const by = (known ?? (await read()))(stream, position) ?? (await read())(stream, position)
      if (by === undefined) throw notErased(stream, position)
    },
  }
}
