import { DamagedEvent } from '../contract/stored.ts'
import { Misfit } from '../proof/misfit.ts'

/** Turns an error about a damaged event or a damaged file into Misfit. */
export const asMisfit = (error: unknown): unknown => {
  if (error instanceof DamagedEvent) return new Misfit(error.message, error.position)
  const { code = '', message } = error as { code?: string; message: string }
  return /^SQLITE_(CORRUPT|NOTADB|ERROR)/.test(code) ? new Misfit(`the file is damaged: ${message}`) : error
}
