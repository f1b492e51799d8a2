// Writes and reads the first record of the shared log, which has the id of the log.
import { CannotStart } from '../contract/cannot-start.ts'
import { type Facts, packContent, unpackContent } from './records/content.ts'
import { openRecord, originOf, sealRecord } from './records/form.ts'
import { Fenced, noLog, type SharedLog } from './shared-log.ts'

/** The version of the contents of records. */
export const recordsVersion = 1

/** A log that shall begin. `position`: the last position of the node that begins it; 0: the log is new. */
export type Beginning = { id: string; position: number }

/**
 * What the first record says; undefined: the log is empty. Rejects with CannotStart when the log begins with another record
 * or is of a newer version, and with UnfitRecord.
 */
const firstOf = async (shared: SharedLog, key: Buffer): Promise<Facts['begin'] | undefined> => {
  const [first] = await shared.read(0, 1)
  if (first === undefined) return undefined
  const { content } = openRecord(key, first)
  const begin = unpackContent(content)
  if (begin.kind !== 'begin')
    throw new CannotStart('the shared log does not begin with its id: check its stream')
  if (begin.facts.version > recordsVersion)
    throw new CannotStart('the shared log was begun by a newer reprise: run that version')
  return begin.facts
}

/** The id of the shared log. Rejects with CannotStart and UnfitRecord. */
export const logIdOf = async (shared: SharedLog, key: Buffer): Promise<string> => {
  const first = await firstOf(shared, key)
  if (first === undefined) throw new CannotStart(`the stream of the shared log is empty. ${noLog}`)
  return first.log_id
}

/**
 * Begins the shared log, unless it has begun already. Resolves to the id of the shared log. Rejects with CannotStart,
 * Unknown or UnfitRecord.
 */
export const beginLog = async (
  shared: SharedLog,
  key: Buffer,
  { id, position }: Beginning,
): Promise<string> => {
  const facts = { log_id: id, version: recordsVersion, position }
  const content = packContent({ kind: 'begin', facts, parts: [] })
  try {
    await shared.append(0, sealRecord(key, originOf(id), content).bytes)
    return id
  } catch (error) {
    if (!(error instanceof Fenced)) throw error
    return logIdOf(shared, key)
  }
}
