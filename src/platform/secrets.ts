// Secret values, for example the values of `env`. They are stored in a file of their own (mode 0600), never in the log.
// They are written and synced before the append that names their reference, and removed when the task ends.

import { chmodSync, closeSync, openSync } from 'node:fs'
import Database from 'better-sqlite3'
import { readJson } from '../contract/json/exact-json.ts'
import type { Report } from '../contract/ports.ts'
import { StorageFailure } from '../contract/stored.ts'
import { causeOf, unusable } from './files/unusable.ts'
import { Damaged, isCorrupt } from './sqlite/errors.ts'

export type Secrets = {
  /** Stores values under a reference and replaces older ones; durable when it returns. Throws StorageFailure. */
  put(ref: string, values: Record<string, unknown>): void
  /** Undefined: the values are gone. Throws StorageFailure when the file cannot be read, which may pass. */
  get(ref: string): Record<string, unknown> | undefined
  forget(ref: string): void
  refs(): string[]
  /** Removes the values of each reference for which `isNamed` returns false. */
  sweep(isNamed: (ref: string) => boolean): void
  /**
   * Resolves when everything that was put is as safe as an acknowledged event: on a cluster, the shared log has it. An
   * append need not wait for this, since values that were put before it are stored before it. Rejects with
   * StorageFailure.
   */
  stored(): Promise<void>
  close(): void
}

/**
 * Reads the whole file, which is small, and throws when the file is damaged. The error does not contain its content.
 */
const checkWhole = (db: Database.Database): void => {
  if (db.pragma('integrity_check(1)', { simple: true }) !== 'ok')
    throw new Damaged('database disk image is malformed')
  for (const body of db.prepare<[], string>('SELECT body FROM secrets').pluck().all()) {
    try {
      readJson(body)
    } catch {
      throw new Damaged('its content is not as it was written')
    }
  }
}

const open = (path: string): Database.Database => {
  try {
    closeSync(openSync(path, 'a', 0o600)) // the file gets its mode before it has any content
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
    throw unusable(path, error, {
      whenDamaged:
        'move it away, and put back a copy if you have one. Without its values, tasks that need them are paused, sessions closed, and webhooks disabled',
    })
  }
}

/**
 * Opens or makes the file. Throws CannotStart. Damage that is found later is reported once.
 */
export const openSecrets = (path: string, report: Report = () => {}): Secrets => {
  const db = open(path)
  let isReported = false
  const failed = (error: unknown) => {
    if (isReported || !isCorrupt(error)) return
    isReported = true
    const { why, damaged } = causeOf(error, path)
    const wayOut = damaged ? '; stop the server, remove the file and start again' : ''
    report('error', `${path} cannot be used: ${why}${wayOut}`, { error: String(error) })
  }
  const asked = <T>(ask: () => T, otherwise: T): T => {
    try {
      return ask()
    } catch (error) {
      failed(error)
      return otherwise
    }
  }
  const put = db.prepare('INSERT OR REPLACE INTO secrets (ref, body) VALUES (?, ?)')
  const get = db.prepare<[string], string>('SELECT body FROM secrets WHERE ref = ?').pluck()
  const forget = db.prepare('DELETE FROM secrets WHERE ref = ?')
  const refs = db.prepare<[], string>('SELECT ref FROM secrets').pluck()
  return {
    put(ref, values) {
      try {
        put.run(ref, JSON.stringify(values))
      } catch (error) {
        failed(error)
        throw new StorageFailure('secret values cannot be stored', { cause: error })
      }
    },
    get(ref) {
      try {
        const body = get.get(ref)
        return body === undefined ? undefined : (readJson(body) as Record<string, unknown>)
      } catch (error) {
        failed(error)
        throw new StorageFailure('secret values cannot be read', { cause: error })
      }
    },
    forget: ref => asked(() => void forget.run(ref), undefined),
    refs: () => asked(() => refs.all(), []),
    sweep(isNamed) {
      for (const ref of asked(() => refs.all(), []))
        if (!isNamed(ref)) asked(() => void forget.run(ref), undefined)
    },
    stored: async () => {},
    close: () => {
      db.close()
    },
  }
}
