// Judges what a verifier says about a mutated folder, by comparing the folder with what it was.

import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import Database from 'better-sqlite3'
import { CannotStart } from '../../../src/contract/cannot-start.ts'
import { verifyLog } from '../../../src/maintenance/verify/verify-log.ts'
import { Misfit } from '../../../src/proof/misfit.ts'
import { type Mutation, mutations, type Random } from './mutations.ts'
import { addCheckpoints, addEvents, checkpointsOf, headOf, logOf, nameKey } from './signed-folder.ts'

/** What a folder holds: a text for each position, the names of the streams, and the checkpoints. */
type Content = { events: (string | undefined)[]; rest: string; notes: string }

/** Undefined: the file cannot be read as a whole. */
const contentOf = (dataDir: string): Content | undefined => {
  let db: InstanceType<typeof Database> | undefined
  try {
    db = new Database(logOf(dataDir), { readonly: true })
    const rows = db
      .prepare<[], [number, ...unknown[]]>(
        `SELECT position, payload IS NULL, id, revision, header, payload, salt, leaf FROM events NOT INDEXED
         LEFT JOIN streams ON no = stream_no ORDER BY position`,
      )
      .raw()
      .all()
    const pieces = db
      .prepare<[number]>(
        'SELECT text FROM pieces NOT INDEXED JOIN long_payloads ON no = payload WHERE position = ? ORDER BY n',
      )
      .pluck()
    const events: (string | undefined)[] = []
    for (const [position, isLong, ...row] of rows)
      events[position] = JSON.stringify(isLong ? [...row, pieces.all(position).join('')] : row)
    const rest = JSON.stringify([
      db.prepare('SELECT id FROM streams NOT INDEXED ORDER BY no').raw().all(),
      db.prepare("SELECT value FROM facts NOT INDEXED WHERE key = 'log_id'").raw().all(),
      rows.some(([position]) => !(position >= 1)),
    ])
    return { events, rest, notes: readFileSync(checkpointsOf(dataDir), 'utf8') }
  } catch {
    return undefined
  } finally {
    db?.close()
  }
}

/** The first position at which two logs differ; undefined: they have the same events. */
const firstDifference = (one: Content, other: Content): number | undefined => {
  const end = Math.max(one.events.length, other.events.length)
  for (let at = 1; at < end; at++) if (one.events[at] !== other.events[at]) return at
  return undefined
}

/** The sizes of the checkpoints of the folder that is mutated. */
const sizes = [4, 9, 17, 30, 31, 48]
/** The positions of the events that name its keys. */
const keyPositions = [4, 31]

/** The number of the event whose payload is stored in pieces. */
const longEvent = 20

/** A folder with a few streams, a key that was changed once, and checkpoints up to the last event. */
export const givenSigned = async (dataDir: string): Promise<void> => {
  const streams = ['task-a', 'task-b', 'env-c', 'task-d', 'log-like']
  const events = (from: number, count: number) =>
    Array.from({ length: count }, (_, n) => ({
      stream: streams[(from + n) % streams.length] ?? '',
      revision: Math.floor((from + n) / streams.length),
      type: 'Noted',
      data: { n: from + n, text: 'x'.repeat(from + n === longEvent ? 300_000 : (7 * (from + n)) % 300) },
    }))
  await addEvents(dataDir, events(0, 3))
  const first = await nameKey(dataDir)
  await addEvents(dataDir, events(3, 26))
  addCheckpoints(dataDir, first, sizes.slice(0, 4))
  const second = await nameKey(dataDir, first, 1)
  await addEvents(dataDir, events(29, 17))
  addCheckpoints(dataDir, second, sizes.slice(4))
  // One file can be copied at any time, and its changes need no sync.
  const db = new Database(logOf(dataDir))
  db.pragma('journal_mode = DELETE')
  db.close()
  if (headOf(dataDir) !== sizes.at(-1)) throw new Error('the last checkpoint must cover the last event')
}

type Found = { fits: true; cutOff: number } | { fits: false; position: number | undefined; reason: string }
/** `inThreads`: several threads read the log, a few events each time. */
const verdictOn = async (dataDir: string, inThreads: boolean): Promise<Found> => {
  const given = {
    log: logOf(dataDir),
    ownCheckpoints: checkpointsOf(dataDir),
    checkpoints: [],
    key: undefined,
    ...(inThreads ? { threads: { helpers: 2, range: 8, width: 4 } } : {}),
  }
  try {
    const { cut_off } = await verifyLog(given, () => {})
    return { fits: true, cutOff: cut_off }
  } catch (error) {
    if (error instanceof Misfit) return { fits: false, position: error.position, reason: error.message }
    if (error instanceof CannotStart) return { fits: false, position: undefined, reason: error.message }
    throw error
  }
}

/** What is wrong with a verdict; undefined: it is right. */
const faultOf = (before: Content, after: Content | undefined, found: Found): string | undefined => {
  if (after === undefined) return found.fits ? 'a file that cannot be read fits' : undefined
  const differs = firstDifference(before, after)
  const isSame = differs === undefined && before.rest === after.rest
  if (found.fits)
    return isSame && (before.notes === after.notes || found.cutOff > 0)
      ? undefined
      : `missed: it differs at ${differs ?? 'no event'}`
  const { position, reason } = found
  if (position === undefined) return undefined // the file, a stream or a checkpoint is named
  if (differs === undefined) return `position ${position} is blamed (${reason}), and no event differs`
  if (position === differs) return undefined
  // The event fits itself, so only the tree or a later event of its stream can tell.
  const proven = Math.max(0, ...sizes.filter(size => size < differs))
  // Without the events that name the keys, no checkpoint can tell.
  const next = keyPositions.includes(differs) ? sizes.at(-1) : sizes.find(size => size >= differs)
  const isFromTree = /has the root|is of more events/.test(reason) && position === proven + 1
  const isFromStream = /must come first/.test(reason) && position > differs && position <= (next ?? 0)
  return isFromTree || isFromStream
    ? undefined
    : `position ${position} is blamed (${reason}), and ${differs} differs`
}

/** Every so many mutations, several threads verify the log. With this number, each kind of mutation has its turn. */
const threadsEach = 15

/**
 * Mutates copies of a folder one after the other. Yields a sentence for each verdict that is wrong. `onDone` hears how
 * many were judged.
 */
export async function* wrongVerdicts(
  dataDir: string,
  count: number,
  random: Random,
  onDone: (judged: number) => void = () => {},
): AsyncGenerator<string> {
  const before = contentOf(dataDir)
  if (before === undefined) throw new Error('the folder cannot be read')
  const names = Object.keys(mutations)
  const root = mkdtempSync(path.join(os.tmpdir(), 'mutated-'))
  try {
    for (let n = 0; n < count; n++) {
      const name = names[n % names.length] ?? ''
      const copy = path.join(root, 'copy')
      rmSync(copy, { recursive: true, force: true })
      cpSync(dataDir, copy, { recursive: true })
      const mutate: Mutation | undefined = mutations[name]
      mutate?.({ dataDir: copy, size: before.events.length - 1, random })
      const fault = faultOf(before, contentOf(copy), await verdictOn(copy, n % threadsEach === 0))
      if (fault !== undefined) yield `mutation ${n} (${name}): ${fault}`
      onDone(n + 1)
    }
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}
