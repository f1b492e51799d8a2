// How far the spans of a log were exported, in a small file beside it: a position, and the leaf there, by which the log
// is known again after it was restored or replaced.
import { readFileSync } from 'node:fs'
import { rename, writeFile } from 'node:fs/promises'
import type { Report } from '../contract/ports.ts'
import type { EventLog } from '../log/log.ts'

type Saved = { log: string; position: number; leaf: string | null }
type Log = Pick<EventLog, 'id' | 'head' | 'leafAt'>

const read = (file: string): Saved | 'missing' | 'unreadable' => {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Saved
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'missing' : 'unreadable'
  }
}

const fits = (saved: Saved | 'unreadable', log: Log): boolean =>
  saved !== 'unreadable' && saved.log === log.id && saved.leaf === (log.leafAt(saved.position) ?? null)

/** Where to go on from: the checkpoint, or the head of the log when there is none that fits it. */
export const lastExported = (file: string, log: Log, report: Report): number => {
  const saved = read(file)
  if (saved === 'missing') return log.head()
  if (fits(saved, log)) return (saved as Saved).position
  report('warn', `${file} does not belong to this log: spans are exported from now on`)
  return log.head()
}

/** On the disk when it resolves; the old one stands until then. */
export const saveExported = async (file: string, log: Log, position: number): Promise<void> => {
  const saved: Saved = { log: log.id, position, leaf: log.leafAt(position) ?? null }
  await writeFile(`${file}.new`, `${JSON.stringify(saved)}\n`, { mode: 0o600, flush: true })
  await rename(`${file}.new`, file)
}
