// Writes and reads the first record of the shared log, which has the id of the log.
import { CannotStart } from '../contract/cannot-start.ts'
import { packContent, unpackContent } from './records/content.ts'
import { openRecord, originOf, sealRecord } from './records/form.ts'
import { Fenced, type SharedLog } from './shared-log.ts'

/** The version of the contents of records. */
export const recordsVersion = 1
/**
 * The id of the shared log. Rejects with CannotStart when the log is empty, begins with another record or is of a newer
 * version, and with UnfitRecord.
 */
export const logIdOf = async (shared: SharedLog, key: Buffer): Promise<string> => {
  const [first] = await shared.read(0, 1)
  if (first === undefined)
    throw new CannotStart('the shared log is empty: run reprise cluster init on one node first')
  const { content } = openRecord(key, first)
  const begin = unpackContent(content)
  if (begin.kind !== 'begin')
    throw new CannotStart('the shared log does not begin with its id: check its stream')
  if (begin.facts.version > recordsVersion)
    throw new CannotStart('the shared log was begun by a newer reprise: run that version')
  return begin.facts.log_id
}

/**
 * Begins the shared log with this id, unless it has begun already. Resolves to the id of the shared log. Rejects with
 * CannotStart, Unknown or UnfitRecord.
 */
export const beginLog = async (shared: SharedLog, key: Buffer, logId: string): Promise<string> => {
  const content = packContent({ kind: 'begin', facts: { log_id: logId, version: recordsVersion }, parts: [] })
  try {
    await shared.append(0, sealRecord(key, originOf(logId), content).bytes)
    return logId
  } catch (error) {
    if (!(error instanceof Fenced)) throw error
    return logIdOf(shared, key)
  }
}
