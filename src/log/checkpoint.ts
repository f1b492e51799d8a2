// How far somebody has followed a log, in a small file beside it: a position, and the leaf there, by which the log is
// known again after it was restored or replaced.
import { rename, writeFile } from 'node:fs/promises'
import { plainWrite, readPlainFile } from '../platform/plain-file.ts'
import type { EventLog } from './log.ts'

type Saved = { log: string; position: number; leaf: string | null }
type Log = Pick<EventLog, 'id' | 'leafAt'>

const fits = (saved: Saved, log: Log): boolean =>
  saved.log === log.id && saved.leaf === (log.leafAt(saved.position) ?? null)

/** What a file says, whatever log it is of; undefined: nothing. */
export const savedCheckpoint = (file: string): Saved | undefined => {
  try {
    const saved = JSON.parse(readPlainFile(file)) as Saved | null
    return Number.isSafeInteger(saved?.position) ? (saved ?? undefined) : undefined
  } catch {
    return undefined
  }
}

/** The position that was saved; `foreign`: unreadable, or of another log. */
export const readCheckpoint = (file: string, log: Log): number | 'missing' | 'foreign' => {
  try {
    const saved = JSON.parse(readPlainFile(file)) as Saved
    return fits(saved, log) ? saved.position : 'foreign'
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'missing' : 'foreign'
  }
}

/** On the disk when it resolves; the old one stands until then. */
export const saveCheckpoint = async (file: string, log: Log, position: number): Promise<void> => {
  const saved: Saved = { log: log.id, position, leaf: log.leafAt(position) ?? null }
  await writeFile(`${file}.new`, `${JSON.stringify(saved)}\n`, {
    mode: 0o600,
    flag: plainWrite,
    flush: true,
  })
  await rename(`${file}.new`, file)
}
