// The values of `env` and the like: in a file of their own (0600), never in the log. Written and synced before
// the append that names them, gone when the task ends.
import { chmodSync, closeSync, openSync } from 'node:fs'
import Database from 'better-sqlite3'
import { CannotStart } from './contract/cannot-start.ts'

export type Secrets = {
  /** Durable when it returns. */
  put(ref: string, values: Record<string, unknown>): void
  get(ref: string): Record<string, unknown> | undefined
  forget(ref: string): void
  refs(): string[]
  /** Keeps only these: what nobody names any more is an orphan. */
  sweep(isNamed: (ref: string) => boolean): void
  close(): void
}

/** The file is small, and a part of what was put into it is of no use. Tells nothing of what it holds. */
const checkWhole = (db: Database.Database): void => {
  if (db.pragma('integrity_check(1)', { simple: true }) !== 'ok')
    throw new Error('database disk image is malformed')
  for (const body of db.prepare<[], string>('SELECT body FROM secrets').pluck().all()) {
    try {
      JSON.parse(body)
    } catch {
      throw new Error('what it holds is not as it was written')
    }
  }
}

const open = (path: string): Database.Database => {
  try {
    closeSync(openSync(path, 'a', 0o600)) // made with its rights before anything is in it
    chmodSync(path, 0o600)
    const db = new Database(path)
    db.pragma('journal_mode = DELETE')
    db.pragma('synchronous = FULL')
    db.pragma('secure_delete = ON')
    db.exec(
      'CREATE TABLE IF NOT EXISTS secrets (ref TEXT PRIMARY KEY, body TEXT NOT NULL) STRICT, WITHOUT ROWID',
    )
    checkWhole(db)
    return db
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new CannotStart(
      `${path} cannot be used (${why}): remove it; tasks that need what it held are paused`,
    )
  }
}

/** Opens or makes the file. Throws CannotStart. */
export const openSecrets = (path: string): Secrets => {
  const db = open(path)
  const put = db.prepare('INSERT INTO secrets (ref, body) VALUES (?, ?)')
  const get = db.prepare<[string], string>('SELECT body FROM secrets WHERE ref = ?').pluck()
  const forget = db.prepare('DELETE FROM secrets WHERE ref = ?')
  const refs = db.prepare<[], string>('SELECT ref FROM secrets').pluck()
  return {
    put: (ref, values) => {
      put.run(ref, JSON.stringify(values))
    },
    get: ref => {
      const body = get.get(ref)
      return body === undefined ? undefined : (JSON.parse(body) as Record<string, unknown>)
    },
    forget: ref => {
      forget.run(ref)
    },
    refs: () => refs.all(),
    sweep: isNamed => {
      for (const ref of refs.all()) if (!isNamed(ref)) forget.run(ref)
    },
    close: () => {
      db.close()
    },
  }
}
