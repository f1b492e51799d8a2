// Verifies a log without a server: every event and its place, and, for every checkpoint, the tree over the first
// events of the log. The file is only read, and a server may write to it meanwhile.
import { existsSync, statSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { CannotStart } from '../../contract/cannot-start.ts'
import { logStream } from '../../contract/events/log-events.ts'
import { openStoredRows } from '../../log/chosen-storage.ts'
import type { StoredRow, StoredRows } from '../../log/storage.ts'
import { yieldToLoop } from '../../platform/loop.ts'
import { Misfit } from '../../proof/misfit.ts'
import { originOf } from '../../proof/note/checkpoint.ts'
import { type KeyChange, keyStream, readKeyChange, trustedKeys } from '../../proof/note/key-change.ts'
import type { VerifierKey } from '../../proof/note/keys.ts'
import { createChain } from '../../proof/verify/chain.ts'
import { type Checkpoints, checkpointsIn, type Expected } from '../../proof/verify/checkpoints-in.ts'
import { type Comparison, createComparison } from '../../proof/verify/comparison.ts'
import { type Counts, mustFit } from '../../proof/verify/event-check.ts'
import { asMisfit } from './as-misfit.ts'
import { openVerifyThreads, type VerifyReading, type VerifyThreads } from './verify-threads.ts'

export type LogToVerify = {
  log: string
  /** The file in which the server of this log stores its checkpoints. It may be missing. */
  ownCheckpoints: string | undefined
  /** Further files with checkpoints, which the caller has kept. */
  checkpoints: readonly string[]
  /** The key that the caller trusts; undefined: every key that the log names counts. */
  key: VerifierKey | undefined
  /** The threads that read the log. Without this, one thread reads a short log, and several a long one. */
  threads?: VerifyThreads
}

/** `newest`: the largest checkpoint that fits. `lost`, `cut_off`: the numbers of checkpoints that were not compared. */
export type VerifiedLog = Counts & {
  log_id: string
  checkpoints: number
  newest: Expected | undefined
  lost: number
  cut_off: number
}

/** The events with which the log names its keys. Throws Misfit. */
export const keyChangesOf = async (rows: StoredRows): Promise<KeyChange[]> => {
  const changes: KeyChange[] = []
  for await (const page of rows.ofStream(keyStream)) changes.push(...page.map(keyChangeOf))
  return changes
}

const keyChangeOf = (row: StoredRow): KeyChange => {
  mustFit(row)
  try {
    return readKeyChange(row.payload ?? '', row.position)
  } catch (error) {
    throw new Misfit(`the event is no change of a key: ${(error as Error).message}`, row.position, keyStream)
  }
}

const positionsOf = async (rows: StoredRows, stream: string): Promise<number[]> => {
  const positions: number[] = []
  for await (const page of rows.ofStream(stream)) positions.push(...page.map(({ position }) => position))
  return positions
}

const filesOfCheckpoints = ({ ownCheckpoints, checkpoints }: LogToVerify): Checkpoints[] => {
  const own = ownCheckpoints !== undefined && existsSync(ownCheckpoints) ? [ownCheckpoints] : []
  const measured = (path: string): Checkpoints => {
    const found = statSync(path, { throwIfNoEntry: false })
    if (found?.isFile() !== true) throw new CannotStart(`${path} is no file with checkpoints`)
    return { path, bytes: found.size }
  }
  return [...own.map(measured), ...checkpoints.map(path => ({ ...measured(path), isNamed: true as const }))]
}

type OnProgress = (events: number, total: number) => void

/** A log with fewer events is read by one thread: it has finished before further threads would have started. */
const helpersFrom = 100_000
const mostHelpers = 3

const openReading = async (rows: StoredRows, { log, threads }: LogToVerify): Promise<VerifyReading> => {
  const usual = (await rows.head()) < helpersFrom ? 0 : Math.min(mostHelpers, availableParallelism() - 1)
  return openVerifyThreads(rows, log, threads ?? { helpers: usual, range: 4096, width: 256 })
}

/** Adds the name of the stream to a misfit about a wrong revision. */
const named = async (rows: StoredRows, misfit: Misfit): Promise<Misfit> => {
  const { message, position, stream } = misfit
  if (position === undefined || stream !== undefined || !/^the event is revision/.test(message)) return misfit
  const { value: [row] = [] } = await rows.pages(position - 1, position).next()
  return new Misfit(message, position, row?.stream ?? undefined)
}

type Scan = { rows: StoredRows; reading: VerifyReading; head: number; onProgress: OnProgress }

const scan = async ({ rows, reading, head, onProgress }: Scan, comparison: Comparison): Promise<Counts> => {
  const chain = createChain(comparison)
  let erased = 0
  try {
    for await (const part of reading.parts(head)) {
      chain.addAll(part)
      erased += part.erased
      const { misfit } = part
      if (misfit !== undefined) throw new Misfit(misfit.reason, misfit.position, misfit.stream)
      onProgress(chain.size(), head)
      await yieldToLoop() // lets signal handlers run
    }
  } catch (error) {
    throw error instanceof Misfit ? await named(rows, error) : error
  }
  return { ...chain.end(head), erased }
}

/** A server names its key in the log before it signs a checkpoint. So a log without that event has lost it. */
const namesNoKey = (files: readonly Checkpoints[], head: number): Misfit => {
  const paths = files.filter(({ bytes }) => bytes > 0).map(({ path }) => path)
  return new Misfit(
    `${paths.join(', ')} has checkpoints, and the log, which has ${head} events, does not name the key that signed them: events from here on are missing`,
    head + 1,
  )
}

const verify = async (
  given: LogToVerify,
  rows: StoredRows,
  reading: VerifyReading,
  onProgress: OnProgress,
): Promise<VerifiedLog> => {
  // The server stores events before it stores checkpoints of them. So when these files are measured before the log, the
  // log has every event that their checkpoints cover.
  const files = filesOfCheckpoints(given)
  const [log_id, head] = [await rows.logId(), await rows.head()]
  const work = { rows, reading, head, onProgress }
  const origin = originOf(log_id)
  const leftOut = { lost: 0, cutOff: 0 }
  const comparisonOf = async (): Promise<Comparison> => {
    const keys = trustedKeys(await keyChangesOf(rows), origin, given.key)
    const resumedAt = await positionsOf(rows, logStream)
    return createComparison(files.map(file => checkpointsIn({ ...file, origin, keys, resumedAt }, leftOut)))
  }
  let comparison: Comparison
  try {
    comparison = await comparisonOf()
  } catch (error) {
    // The reason may be a damaged event. Then the scan throws an error that names the first damaged event.
    await scan(work, createComparison([]))
    throw given.key === undefined && (await keyChangesOf(rows)).length === 0 ? namesNoKey(files, head) : error
  }
  const counts = await scan(work, comparison)
  const [empty, fault] = [await rows.emptyStream(), await reading.fault()]
  if (empty !== undefined) throw new Misfit(`the stream ${empty} has no event`)
  if (fault !== undefined) throw new Misfit(`the file is damaged: ${fault}`)
  const { count, newest } = comparison.fitted()
  return { ...counts, log_id, checkpoints: count, newest, lost: leftOut.lost, cut_off: leftOut.cutOff }
}

/** Rejects with Misfit at the first thing that does not fit, and with CannotStart when a file cannot be used. */
export const verifyLog = async (given: LogToVerify, onProgress: OnProgress): Promise<VerifiedLog> => {
  let rows: StoredRows | undefined
  let reading: VerifyReading | undefined
  try {
    rows = openStoredRows(given.log)
    reading = await openReading(rows, given)
    return await verify(given, rows, reading, onProgress)
  } catch (error) {
    throw asMisfit(error)
  } finally {
    await reading?.close()
    await rows?.close()
  }
}
