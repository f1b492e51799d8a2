// Reads the events of a range of a log, and checks each of them alone. What only their order can show is left to the
// chain, so ranges can be read by several threads.
import { isErased } from '../log/fits.ts'
import type { StoredRow, StoredRows } from '../log/stored-rows.ts'
import { Misfit } from '../proof/misfit.ts'
import { missing } from '../proof/verify/chain.ts'
import type { Erasures } from '../proof/verify/erasures.ts'
import { mustFit } from '../proof/verify/event-check.ts'
import { asMisfit } from './as-misfit.ts'
import { erasuresOf } from './log-erasures.ts'

/** Events that follow each other, from the position `first` on. `leaves`: one after the other, 43 characters each. */
export type Part = {
  first: number
  streamNos: number[]
  revisions: number[]
  leaves: string
  erased: number
  /** Why the event after these does not fit. */
  misfit?: { reason: string; position: number | undefined; stream: string | undefined }
}

const emptyPart = (first: number): Part => ({ first, streamNos: [], revisions: [], leaves: '', erased: 0 })

const addTo = (part: Part, row: StoredRow, erasures: Erasures): void => {
  const position = part.first + part.streamNos.length
  if (row.position !== position) throw missing(position)
  mustFit(row)
  if (isErased(row)) erasures.mustCover(row.stream ?? '', position)
  part.streamNos.push(row.streamNo)
  part.revisions.push(row.revision)
  part.leaves += row.leaf
  if (isErased(row)) part.erased++
}

/** The events after a position up to the position `end`, in parts. A part with a misfit is the last one. */
export function* partsOf(rows: StoredRows, after: number, end: number): Generator<Part> {
  const erasures = erasuresOf(rows)
  let part = emptyPart(after + 1)
  try {
    for (const page of rows.pages(after, end)) {
      for (const row of page) addTo(part, row, erasures)
      yield part
      part = emptyPart(part.first + part.streamNos.length)
    }
    if (part.first <= end) throw missing(part.first)
  } catch (error) {
    const misfit = asMisfit(error)
    if (!(misfit instanceof Misfit)) throw error
    const { message: reason, position, stream } = misfit
    yield { ...part, misfit: { reason, position, stream } }
  }
}
