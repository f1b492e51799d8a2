// Reads a range of the events of a log, and checks each event alone. The chain (src/proof/verify/chain.ts) later checks
// the order of the events. So several threads can read different ranges.

import { isErased } from '../../log/fits.ts'
import type { StoredRow, StoredRows } from '../../log/storage.ts'
import { Misfit } from '../../proof/misfit.ts'
import type { Hash } from '../../proof/tree/hash.ts'
import { rootOfFull } from '../../proof/tree/subtrees.ts'
import { type Links, missing } from '../../proof/verify/chain.ts'
import { mustFit } from '../../proof/verify/event-check.ts'
import { asMisfit } from './as-misfit.ts'
import type { LogErasures } from './log-erasures.ts'

/** Events that follow each other. */
export type Part = Links & {
  erased: number
  /** Why the event that follows this part does not fit. */
  misfit?: { reason: string; position: number | undefined; stream: string | undefined }
}

type Open = {
  first: number
  streamNos: Float64Array
  revisions: Float64Array
  leaves: Hash[]
  erased: number
}

/** Collects the events after a position into parts. A part has at most `width` events. */
const createParts = (after: number, width: number) => {
  const emptyAt = (first: number): Open => {
    const [streamNos, revisions] = [new Float64Array(width), new Float64Array(width)]
    return { first, streamNos, revisions, leaves: [], erased: 0 }
  }
  let part = emptyAt(after + 1)
  const next = () => part.first + part.leaves.length
  return {
    next,
    isFull: () => (next() - 1) % width === 0,
    /** The row was checked, and comes next. */
    add(row: StoredRow): void {
      const { streamNos, revisions, leaves } = part
      if (isErased(row)) part.erased++
      streamNos[leaves.length] = row.streamNo
      revisions[leaves.length] = row.revision
      leaves.push(row.leaf)
    },
    /** Returns the collected events as a part. The next event begins a new part. */
    take(): Part {
      const { first, streamNos, revisions, leaves, erased } = part
      part = emptyAt(next())
      return {
        first,
        streamNos: streamNos.subarray(0, leaves.length),
        revisions: revisions.subarray(0, leaves.length),
        leaves: leaves.join(''),
        ...(leaves.length === width ? { root: rootOfFull(leaves) } : {}),
        erased,
      }
    },
  }
}

/** Asks for the events after the position `after` up to `end`. A part has at most `width` events, a power of two. */
export type Wanted = { after: number; end: number; width: number }

/**
 * The wanted events in parts. Each part but the last ends at a multiple of `width`, so a part of `width` events is a
 * full subtree. A part with a misfit is the last one.
 */
export const partsOf = async (
  rows: StoredRows,
  erasures: LogErasures,
  { after, end, width }: Wanted,
): Promise<Part[]> => {
  const parts = createParts(after, width)
  const done: Part[] = []
  try {
    for await (const page of rows.pages(after, end)) {
      for (const row of page) {
        if (row.position !== parts.next()) throw missing(parts.next())
        mustFit(row)
        if (isErased(row)) await erasures.mustCover(row.stream ?? '', row.position)
        parts.add(row)
        if (parts.isFull()) done.push(parts.take())
      }
    }
    if (parts.next() <= end) throw missing(parts.next())
    done.push(parts.take())
  } catch (error) {
    const misfit = asMisfit(error)
    if (!(misfit instanceof Misfit)) throw error
    const { message: reason, position, stream } = misfit
    done.push({ ...parts.take(), misfit: { reason, position, stream } })
  }
  return done
}
