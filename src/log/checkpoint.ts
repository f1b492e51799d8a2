// A small file beside a log that says how far a reader has followed the log: a position, and the leaf of the event
// there. The leaf shows whether somebody has since replaced the log or restored an older one.
import { rename, writeFile } from 'node:fs/promises'
import { plainWrite, readPlainFile } from '../platform/plain-file.ts'
import type { EventLog } from './log.ts'

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

/** The saved position. `foreign`: the file is unreadable or belongs to another log. */
export const readCheckpoint = (file: string, log: Log): number | 'missing' | 'foreign' => {
  try {
    const saved = JSON.parse(readPlainFile(file)) as Saved
    return fits(saved, log) ? saved.position : 'foreign'
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'missing' : 'foreign'
  }
}

/** Saves a position. The position is on the disk when this resolves; the old file stays until then. */
export const saveCheckpoint = async (file: string, log: Log, position: number): Promise<void> => {
  const saved: Saved = { log: log.id, position, leaf: log.leafAt(position) ?? null }
  await writeFile(`${file}.new`, `${JSON.stringify(saved)}\n`, {
    mode: 0o600,
    flag: plainWrite,
    flush: true,
  })
  await rename(`${file}.new`, file)
}
