// Reads and stores the position up to which the spans of a log were exported.
import type { Report } from '../contract/ports.ts'
import { readCheckpoint, saveCheckpoint } from '../log/checkpoint.ts'
import type { EventLog } from '../log/log.ts'

/**
 * The position after which the export continues: that of the checkpoint, or the head of the log if there is no
 * checkpoint of this log.
 */
export const lastExported = (
  file: string,
  log: Pick<EventLog, 'id' | 'head' | 'leafAt'>,
  report: Report,
): number => {
  const saved = readCheckpoint(file, log)
  if (typeof saved === 'number') return saved
  if (saved === 'foreign')
    report('warn', `${file} does not belong to this log: the export of spans begins at the end of the log`)
  return log.head()
}

export const saveExported = saveCheckpoint
