// Reads from a log which of its events were erased.
import { erasureStream } from '../contract/erased-range.ts'
import type { StoredRows } from '../log/stored-rows.ts'
import { createErasures, type Erasures } from '../proof/verify/erasures.ts'
import { mustFit } from '../proof/verify/event-check.ts'

export const erasuresOf = (rows: StoredRows): Erasures =>
  createErasures(function* () {
    for (const row of rows.ofStream(erasureStream)) {
      mustFit(row)
      yield row
    }
  })
