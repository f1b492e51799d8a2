// Verifies a log file without a server: every event, its place, and the tree over all events at the size of every
// checkpoint. The file is only read, and a server may write to it meanwhile.
import { existsSync, statSync } from 'node:fs'
import { CannotStart } from '../contract/cannot-start.ts'
import { logStream } from '../contract/log-events.ts'
import { DamagedEvent } from '../contract/stored.ts'
import { openStoredRows, type StoredRows } from '../log/stored-rows.ts'
import { Misfit } from '../proof/misfit.ts'
import { originOf } from '../proof/note/checkpoint.ts'
import { type KeyChange, keyStream, readKeyChange, trustedKeys } from '../proof/note/key-change.ts'
import type { VerifierKey } from '../proof/note/keys.ts'
import { type Checkpoints, checkpointsIn, type Expected } from '../proof/verify/checkpoints-in.ts'
import { type Comparison, createComparison } from '../proof/verify/comparison.ts'
import { type Counts, createEventCheck, mustFit } from '../proof/verify/event-check.ts'

export type LogToVerify = {
  log: string
  /** The file in which the server of this log stores its checkpoints. It may be missing. */
  ownCheckpoints: string | undefined
  /** Files with checkpoints that the caller brings. */
  checkpoints: readonly string[]
  /** The key that the caller trusts; undefined: every key that the log names counts. */
  key: VerifierKey | undefined
}

/** `newest`: the largest checkpoint that fits. `lost`, `cut_off`: checkpoints that were left out. */
export type VerifiedLog = Counts & {
  log_id: string
  checkpoints: number
  newest: Expected | undefined
  lost: number
  cut_off: number
}

/** Turns an error about a damaged event or a damaged file into Misfit. */
const asMisfit = (error: unknown): unknown => {
  if (error instanceof DamagedEvent) return new Misfit(error.message, error.position)
  const { code = '', message } = error as { code?: string; message: string }
  return /^SQLITE_(CORRUPT|NOTADB|ERROR)/.test(code) ? new Misfit(`the file is damaged: ${message}`) : error
}

/** The keys that the log names. Throws Misfit. */
export const keyChangesOf = (rows: StoredRows): KeyChange[] =>
  [...rows.ofStream(keyStream)].map(row => {
    mustFit(row)
    try {
      return readKeyChange(row.payload ?? '', row.position)
    } catch (error) {
      throw new Misfit(
        `the event is no change of a key: ${(error as Error).message}`,
        row.position,
        keyStream,
      )
    }
  })

const filesOfCheckpoints = ({ ownCheckpoints, checkpoints }: LogToVerify): Checkpoints[] => {
  const own = ownCheckpoints !== undefined && existsSync(ownCheckpoints) ? [ownCheckpoints] : []
  return [...own, ...checkpoints].map(path => {
    const found = statSync(path, { throwIfNoEntry: false })
    if (found?.isFile() !== true) throw new CannotStart(`${path} is no file with checkpoints`)
    return { path, bytes: found.size }
  })
}

type OnProgress = (events: number, total: number) => void

const scan = async (
  rows: StoredRows,
  head: number,
  comparison: Comparison,
  onProgress: OnProgress,
): Promise<Counts> => {
  const check = createEventCheck(comparison)
  for (const page of rows.pages(0, head)) {
    for (const row of page) check.add(row)
    onProgress(check.size(), head)
    await new Promise(resolve => setImmediate(resolve)) // lets signal handlers run
  }
  return check.end(head)
}

const verify = async (given: LogToVerify, rows: StoredRows, onProgress: OnProgress): Promise<VerifiedLog> => {
  // The server stores events before it stores checkpoints of them. So when these files are measured before the log, the
  // log has every event that their checkpoints cover.
  const files = filesOfCheckpoints(given)
  const [log_id, head] = [rows.logId(), rows.head()]
  const origin = originOf(log_id)
  const leftOut = { lost: 0, cutOff: 0 }
  const comparisonOf = (): Comparison => {
    const keys = trustedKeys(keyChangesOf(rows), origin, given.key)
    const resumedAt = [...rows.ofStream(logStream)].map(({ position }) => position)
    return createComparison(files.map(file => checkpointsIn({ ...file, origin, keys, resumedAt }, leftOut)))
  }
  let comparison: Comparison
  try {
    comparison = comparisonOf()
  } catch (error) {
    // The reason may be an event that is damaged, or one before it. Then the scan names the event.
    await scan(rows, head, createComparison([]), onProgress)
    throw error
  }
  const counts = await scan(rows, head, comparison, onProgress)
  const [empty, fault] = [rows.emptyStream(), rows.fileFault()]
  if (empty !== undefined) throw new Misfit(`the stream ${empty} has no event`)
  if (fault !== undefined) throw new Misfit(`the file is damaged: ${fault}`)
  const { count, newest } = comparison.fitted()
  return { ...counts, log_id, checkpoints: count, newest, lost: leftOut.lost, cut_off: leftOut.cutOff }
}

/** Rejects with Misfit at the first thing that does not fit, and with CannotStart when a file cannot be used. */
export const verifyLog = async (given: LogToVerify, onProgress: OnProgress): Promise<VerifiedLog> => {
  let rows: StoredRows | undefined
  try {
    rows = openStoredRows(given.log)
    return await verify(given, rows, onProgress)
  } catch (error) {
    throw asMisfit(error)
  } finally {
    rows?.close()
  }
}
