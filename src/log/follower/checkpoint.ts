// Reads and writes a small file that says how far a reader has followed a log: a position, and the leaf of the event at
// this position. The leaf shows whether somebody has since replaced the log or restored a backup of it.
import { readPlainFile, replaceFile } from '../../platform/files/plain-file.ts'
import type { EventLog } from '../log.ts'

type Saved = { log: string; position: number; leaf: string | null }
type Log = Pick<EventLog, 'id' | 'leafAt'>

const fits = (saved: Saved, log: Log): boolean =>
  saved.log === log.id && saved.leaf === (log.leafAt(saved.position) ?? null)

/** The content of a checkpoint file, whichever log it belongs to; undefined: there is no file, or it is unreadable. */
export const savedCheckpoint = (file: string): Saved | undefined => {
  try {
    const saved = JSON.parse(readPlainFile(file)) as Saved | null
    return Number.isSafeInteger(saved?.position) ? (saved ?? undefined) : undefined
  } catch {
    return undefined
  }
}

/** The saved position. `foreign`: the file is unreadable, or names another log or an event that this log has not. */
export const readPosition = (file: string, log: Log): number | 'missing' | 'foreign' => {
  try {
    const saved = JSON.parse(readPlainFile(file)) as Saved
    return fits(saved, log) ? saved.position : 'foreign'
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'missing' : 'foreign'
  }
}

/** Saves a position. */
export const saveCheckpoint = async (file: string, log: Log, position: number): Promise<void> => {
  const saved: Saved = { log: log.id, position, leaf: log.leafAt(position) ?? null }
  await replaceFile(file, `${JSON.stringify(saved)}\n`)
}
