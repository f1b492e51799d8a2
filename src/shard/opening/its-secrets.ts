// Refuses a data folder in which a server has worked and whose secret values are gone.
import { existsSync } from 'node:fs'
import { NotNow } from '../../contract/cannot-start.ts'
import type { Report } from '../../contract/ports.ts'
import type { filesOf } from '../../platform/files/data-folder.ts'

/**
 * Throws NotNow when the folder has its log and what a server makes after the file of the secret values, but not this file:
 * the sessions that need a value would be closed for ever, and the file may be on a volume that is mounted later. A
 * restored backup is a log alone, and its tasks and sessions go on without the values. `acceptLoss` allows the loss. Call
 * it before anything is opened.
 */
export const mustHaveItsSecrets = (
  { log, secrets, readModels, tiles, children }: ReturnType<typeof filesOf>,
  acceptLoss: boolean,
  report: Report,
): void => {
  // A start that fails early leaves the tiles alone, and `reprise rebuild` the read models alone: neither had secrets.
  const isUsed = existsSync(log) && (existsSync(children) || (existsSync(tiles) && existsSync(readModels)))
  if (existsSync(secrets) || !isUsed) return
  if (acceptLoss) {
    report('warn', 'the secret values of this folder are gone, as the option --accept-loss allows')
    return
  }
  throw new NotNow(
    `${secrets} is missing, and a server has worked in this folder: put the file back, or mount the volume that it is on; to go on without the values in it, so that tasks that need one pause and sessions that need one are closed: reprise serve --accept-loss`,
  )
}
