// The file of the stream keys. A destroyed key must leave no trace in the file. So keys are only added at the end of
// their table, and a key is overwritten in its place: SQLite moves a row only when its length or its order changes, and
// then a copy may stay behind. Other facts that change, such as which stream uses a key, are in other tables.
import { chmodSync, closeSync, openSync } from 'node:fs'
import Database from 'better-sqlite3'
import { unusable } from '../../platform/files/unusable.ts'
import type { KeyName } from '../records/content.ts'

/** A key of the file; null: it was destroyed. */
export type FiledKey = { epoch: number; n: number; key: Buffer | null }
/** A secret as the log has it: the key that seals it, and the digest of its text. */
export type FiledSecret = { name: KeyName; digest: string }

/** The content of a destroyed key. No random key has it. */
const destroyed = Buffer.alloc(32)

const schema = `
CREATE TABLE IF NOT EXISTS keys (no INTEGER PRIMARY KEY, epoch INTEGER NOT NULL, n INTEGER NOT NULL, key BLOB NOT NULL) STRICT;
CREATE UNIQUE INDEX IF NOT EXISTS key_names ON keys (epoch, n);
CREATE TABLE IF NOT EXISTS uses (
  stream_no INTEGER NOT NULL, epoch INTEGER NOT NULL, n INTEGER NOT NULL, retired INTEGER NOT NULL,
  PRIMARY KEY (stream_no, epoch, n)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS secrets (ref TEXT PRIMARY KEY, epoch INTEGER NOT NULL, n INTEGER NOT NULL, digest TEXT NOT NULL) STRICT, WITHOUT ROWID;
`

const open = (path: string): Database.Database => {
  try {
    closeSync(openSync(path, 'a', 0o600)) // the file gets its mode before it has any content
    chmodSync(path, 0o600)
    const db = new Database(path)
    db.pragma('journal_mode = DELETE') // a WAL would keep keys that were destroyed
    db.pragma('synchronous = FULL')
    db.pragma('secure_delete = ON')
    db.exec(schema)
    return db
  } catch (error) {
    throw unusable(path, error, { whenDamaged: 'remove it; another node gives this one the keys again' })
  }
}

const filed = ({ epoch, n, key }: { epoch: number; n: number; key: Buffer }): FiledKey => ({
  epoch,
  n,
  key: key.equals(destroyed) ? null : key,
})

/** Opens or makes the file. Throws CannotStart. */
export const openKeyFile = (path: string) => {
  const db = open(path)
  const columns = 'SELECT epoch, n, key FROM keys'
  type Found = { epoch: number; n: number; key: Buffer }
  const add = db.prepare(
    `INSERT INTO keys (epoch, n, key) VALUES (?, ?, ?)
     ON CONFLICT (epoch, n) DO UPDATE SET key = excluded.key WHERE key <> zeroblob(32) AND key <> excluded.key`,
  )
  const overwrite = db.prepare('UPDATE keys SET key = zeroblob(32) WHERE epoch = ? AND n = ?')
  const one = db.prepare<KeyName, Found>(`${columns} WHERE epoch = ? AND n = ?`)
  const numbers = db
    .prepare<[number, number], number>('SELECT n FROM keys WHERE epoch = ? AND n > ? ORDER BY n')
    .pluck()
  const later = db.prepare<[number, number, number], Found>(
    `${columns} WHERE (epoch, n) > (?, ?) ORDER BY epoch, n LIMIT ?`,
  )
  const held = db.prepare<[], { epoch: number; upTo: number }>(
    `SELECT epoch, (SELECT min(a.n) FROM keys a LEFT JOIN keys b ON b.epoch = a.epoch AND b.n = a.n + 1
                    WHERE a.epoch = e.epoch AND b.n IS NULL) AS upTo
     FROM (SELECT DISTINCT epoch FROM keys WHERE n = 1) e ORDER BY epoch`,
  )
  const lastEpoch = db.prepare<[], number | null>('SELECT max(epoch) FROM keys').pluck()
  const use = db.prepare(
    `INSERT INTO uses (stream_no, epoch, n, retired) VALUES (?, ?, ?, ?)
     ON CONFLICT (stream_no, epoch, n) DO UPDATE SET retired = max(retired, excluded.retired)`,
  )
  const used = db.prepare<[number], { epoch: number; n: number; retired: number }>(
    'SELECT epoch, n, retired FROM uses WHERE stream_no = ? ORDER BY epoch, n',
  )
  const unuse = db.prepare('DELETE FROM uses WHERE stream_no = ? AND retired = 1')
  const secret = db.prepare<[string], { epoch: number; n: number; digest: string }>(
    'SELECT epoch, n, digest FROM secrets WHERE ref = ?',
  )
  const putSecret = db.prepare('INSERT OR REPLACE INTO secrets (ref, epoch, n, digest) VALUES (?, ?, ?, ?)')
  const dropSecret = db.prepare('DELETE FROM secrets WHERE ref = ?')
  const refs = db.prepare<[], string>('SELECT ref FROM secrets').pluck()
  return {
    /** Runs writes in one commit. */
    commit: (work: () => void): void => db.transaction(work).immediate(),
    /** Runs reads under one lock. Each read alone would lock the file and look for a journal. */
    reading: <T>(work: () => T): T => db.transaction(work).deferred(),
    add: ({ epoch, n, key }: FiledKey): void => void add.run(epoch, n, key ?? destroyed),
    overwrite: (...name: KeyName): void => void overwrite.run(...name),
    one(...name: KeyName): FiledKey | undefined {
      const found = one.get(...name)
      return found && filed(found)
    },
    /** The numbers of the keys of an epoch after `n`. */
    numbersAfter: (epoch: number, n: number): number[] => numbers.all(epoch, n),
    later: (epoch: number, n: number, limit: number): FiledKey[] => later.all(epoch, n, limit).map(filed),
    held: () => held.all(),
    /** The greatest epoch; 0: there are no keys. */
    lastEpoch: (): number => lastEpoch.get() ?? 0,
    use: (streamNo: number, [epoch, n]: KeyName, isRetired: boolean): void =>
      void use.run(streamNo, epoch, n, isRetired ? 1 : 0),
    used: (streamNo: number) => used.all(streamNo),
    unuse: (streamNo: number): void => void unuse.run(streamNo),
    forgetUses: (): void => void db.exec('DELETE FROM uses; DELETE FROM secrets'),
    secret(ref: string): FiledSecret | undefined {
      const found = secret.get(ref)
      return found && { name: [found.epoch, found.n], digest: found.digest }
    },
    putSecret: (ref: string, { name, digest }: FiledSecret): void => void putSecret.run(ref, ...name, digest),
    dropSecret: (ref: string): void => void dropSecret.run(ref),
    secretRefs: (): string[] => refs.all(),
    close: (): void => void db.close(),
  }
}
export type KeyFile = ReturnType<typeof openKeyFile>
