// Writes to the log file over its only write connection: hashes, inserts and commits whole batches of events as texts.
import type Database from 'better-sqlite3'
import { closeHeader, digestAt, digestOf, leafOf, type OpenDigest, openDigest } from '../leaf.ts'
import type { Destroyed, ErasureCursor, PackedBatch, Piece, Wiped } from '../store.ts'
import { createDestroyer, mustBeErasable } from './erasing/destroyer.ts'
import { walBytes } from './sqlite-file.ts'
import { openSyncedWal, type SyncedWal } from './synced-wal.ts'
import { type Watch, watchFile } from './watch.ts'

export type Writer = {
  write(batch: PackedBatch): void
  writePiece(piece: Piece): void
  dropPieces(payload: number): void
  noteErasure(by: number): void
  destroy(by: number, after: ErasureCursor | undefined): Destroyed
  wipe(isAll: boolean): Wiped
  /** Writes and syncs as much as a commit of many events does, and leaves nothing of it. Throws as a commit does. */
  probe(): void
  /** Makes the WAL longer if it is full. The thread calls this after an answer, so that no caller waits for it. */
  makeRoom(): void
  /** Copies the WAL into the main file, as far as readers of the WAL allow it, and syncs the main file. */
  checkpoint(): void
  close(): void
}

const statementsOf = (db: Database.Database) => ({
  insertStream: db.prepare('INSERT INTO streams (no, id) VALUES (?, ?)'),
  insertEvent: db.prepare(
    'INSERT INTO events (position, stream_no, revision, header, payload, salt, leaf) VALUES (?, ?, ?, ?, ?, ?, ?)',
  ),
  insertLong: db.prepare('INSERT INTO long_payloads (no, position) VALUES (?, ?)'),
  insertPiece: db.prepare('INSERT INTO pieces (payload, n, text) VALUES (?, ?, ?)'),
  removePieces: db.prepare('DELETE FROM pieces WHERE payload = ?'),
})

/** The number of a payload that no event has. */
const noPayload = 0
/** Characters that a probe writes. A disk may have room for one page, and none for a commit. */
const probeChars = 64 * 1024

/**
 * Returns a function that runs a write, and then syncs the WAL, unless `sync` is false. It checks the WAL before the write: if somebody has
 * cut it short, SQLite would continue to write behind the cut, and later read whatever is in the hole between.
 */
const checkedBy =
  (name: string, wal: Watch, synced: SyncedWal) =>
  <T>(work: () => T, sync = true): T => {
    const fault = wal.fault()
    if (fault !== undefined) throw new Error(`${name}-wal ${fault}`)
    const done = work()
    if (sync) synced.sync()
    wal.fault() // records the new length
    return done
  }

export const sqliteWriter = (db: Database.Database): Writer => {
  db.pragma('synchronous = NORMAL') // SQLite then syncs the WAL only before a copy and before it reuses it
  const { insertStream, insertEvent, insertLong, insertPiece, removePieces } = statementsOf(db)
  /** The digests of long payloads whose events are not written yet, by the numbers of the payloads. */
  const digests = new Map<number, OpenDigest>()
  const wal = watchFile(`${db.name}-wal`, true)
  const synced = openSyncedWal(db.name, walBytes)
  const destroyer = createDestroyer(db, wal.emptied)
  let position = db.prepare<[], number>('SELECT coalesce(max(position), 0) FROM events').pluck().get() ?? 0

  /** Stores which long payload the event at `position` has. Returns the digest of this payload. */
  const take = (long: PackedBatch['long'], position: number): string => {
    const payload = long.find(each => each.position === position)?.payload ?? 0
    const digest = digests.get(payload)
    if (digest === undefined)
      throw new Error(`the payload of the event at position ${position} is not stored`)
    digests.delete(payload)
    insertLong.run(payload, position)
    return digest.end()
  }

  const insert = db.transaction((batch: PackedBatch) => {
    const { first, streamNos, revisions, texts, newStreams, long, erasures, gone = [], digests } = batch
    const erased = new Map(gone.map(({ position, digest }) => [position, digest]))
    const ofShort = (n: number, salt: string, payload: string): string =>
      digests === undefined ? digestOf(salt, payload) : digestAt(digests, n)
    for (const { no, id } of newStreams) insertStream.run(no, id)
    let text = 0
    for (let n = 0; n < streamNos.length; n++) {
      const open = texts[text++] ?? ''
      const payload = texts[text++] ?? ''
      const salt = texts[text++] ?? ''
      const goneDigest = erased.get(first + n)
      const isShort = payload !== '' // no JSON text is empty
      const digest = goneDigest ?? (isShort ? ofShort(n, salt, payload) : take(long, first + n))
      const header = closeHeader(open, digest)
      const stored = [isShort ? payload : null, goneDigest === undefined ? salt : null]
      insertEvent.run(first + n, streamNos[n], revisions[n], header, ...stored, leafOf(header))
    }
    mustBeErasable(erasures)
  })
  const checked = checkedBy(db.name, wal, synced)
  return {
    write(batch) {
      // When a batch has failed, later batches that were already sent must not be written: they would leave a hole.
      if (batch.first !== position + 1) throw new Error('the batch before this one was not written')
      checked(() => insert.immediate(batch))
      position += batch.streamNos.length
    },
    writePiece({ payload, n, salt, text }) {
      const digest = n === 0 ? openDigest(salt) : digests.get(payload)
      if (digest === undefined) throw new Error('the piece before this one was not written')
      checked(() => insertPiece.run(payload, n, text))
      digest.add(text)
      digests.set(payload, digest)
    },
    dropPieces(payload) {
      digests.delete(payload)
      checked(() => removePieces.run(payload))
    },
    noteErasure: by => checked(() => destroyer.note(by), false),
    // If a power failure takes this back, it is done again, since the erasure is not finished before `wipe`.
    destroy: (by, after) => checked(() => destroyer.destroy(by, after), false),
    wipe: destroyer.wipe,
    probe() {
      checked(() => insertPiece.run(noPayload, 0, ' '.repeat(probeChars)))
      checked(() => removePieces.run(noPayload)) // if this fails, the next opening removes it
    },
    makeRoom: synced.makeRoom,
    checkpoint() {
      db.pragma('wal_checkpoint(TRUNCATE)')
      wal.emptied()
    },
    close() {
      synced.close()
      db.close()
    },
  }
}
