// Checks the events of a whole log, in order: each event itself, its place, and the tree over all of them.
import { isErased, misfitOf, type StoredTexts } from '../../log/fits.ts'
import { Misfit } from '../misfit.ts'
import { createChain, missing } from './chain.ts'
import type { Comparison } from './comparison.ts'
import type { Erasures } from './erasures.ts'

/** `streamNo`: a number that no other stream has. */
export type LogEvent = StoredTexts & { position: number; streamNo: number }
export type Counts = { events: number; streams: number; erased: number }

/** The checks of one event that need no other event of the log. Throws Misfit. */
export const mustFit = (event: StoredTexts & { position: number }): void => {
  const { position, stream } = event
  if (stream === null) throw new Misfit('the event belongs to no stream', position)
  const misfit = misfitOf(event)
  if (misfit !== undefined) throw new Misfit(`the event ${misfit}`, position, stream)
}

/** `add` throws Misfit at the first event that does not fit. */
export const createEventCheck = (comparison: Comparison, erasures: Erasures) => {
  const chain = createChain(comparison)
  let erased = 0
  return {
    add(event: LogEvent): void {
      if (event.position !== chain.size() + 1) throw missing(chain.size() + 1)
      mustFit(event)
      chain.add(event)
      if (!isErased(event)) return
      erasures.mustCover(event.stream ?? '', event.position)
      erased++
    },
    /** Throws Misfit when the log is shorter than a checkpoint, or than `size`. */
    end: (size: number): Counts => ({ ...chain.end(size), erased }),
    size: chain.size,
  }
}
