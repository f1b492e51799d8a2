// The position up to which the spans of a log were exported.
import type { Report } from '../contract/ports.ts'
import { readCheckpoint, saveCheckpoint } from '../log/checkpoint.ts'
import type { EventLog } from '../log/log.ts'

/** The position to continue from: the checkpoint, or the head of the log if no checkpoint fits it. */
export const lastExported = (
  file: string,
  log: Pick<EventLog, 'id' | 'head' | 'leafAt'>,
  report: Report,
): number => {
  const saved = readCheckpoint(file, log)
  if (typeof saved === 'number') return saved
  if (saved === 'foreign')
    report('warn', `${file} does not belong to this log: spans are exported from now on`)
  return log.head()
}

export const saveExported = saveCheckpoint
