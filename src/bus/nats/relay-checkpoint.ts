import type { Report } from '../../contract/ports.ts'
import { readPosition, saveCheckpoint } from '../../log/follower/checkpoint.ts'
import type { EventLog } from '../../log/log.ts'

/** The checkpoint is saved at most once in this many milliseconds. */
export const saveEveryMs = 1000

/**
 * The checkpoint of the relay: a file with the position up to which NATS has taken the events. With JetStream, the file
 * is needed only for a stream that drops messages.
 */
export const createRelayCheckpoint = (log: EventLog, file: string, report: Report) => {
  let saved = 0
  let savedAt = 0
  return {
    isSaved: (position: number): boolean => saved === position,
    isDue: (): boolean => performance.now() - savedAt >= saveEveryMs,
    async save(position: number): Promise<void> {
      await saveCheckpoint(file, log, position)
      saved = position
      savedAt = performance.now()
    },
    /** The position that an earlier run of the server saved; 0: there is none, or it belongs to another log. */
    read(): number {
      const found = readPosition(file, log)
      if (found === 'foreign')
        report('warn', `${file} does not belong to this log: the relay sends all events to NATS again`)
      return typeof found === 'number' ? found : 0
    },
  }
}
export type RelayCheckpoint = ReturnType<typeof createRelayCheckpoint>
