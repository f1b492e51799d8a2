import { DamagedEvent } from '../../contract/stored.ts'
import { isDamagedStore } from '../../log/store.ts'
import { Misfit } from '../../proof/misfit.ts'

/** Turns an error about a damaged event or a damaged file into Misfit. */
export const asMisfit = (error: unknown): unknown => {
  if (error instanceof DamagedEvent) return new Misfit(error.message, error.position)
  return isDamagedStore(error) ? new Misfit(`the file is damaged: ${(error as Error).message}`) : error
}
