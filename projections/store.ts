// The read models' own file: disposable, rebuilt from the log whenever it does not fit it.
import { closeSync, existsSync, openSync, rmSync } from 'node:fs'
import Database from 'better-sqlite3'
import { CannotStart } from '../src/contract/cannot-start.ts'
import { createCheckpoints, none } from '../src/platform/sqlite/checkpoints.ts'
import { type ReadStore, renewable } from './renewable.ts'

export type { ReadStore, Statement } from './renewable.ts'

/** Raised whenever a table or what stands in it changes: an older file is thrown away and filled anew. */
const readModelVersion = 6

const schema = `
CREATE TABLE checkpoint (one INTEGER PRIMARY KEY CHECK (one = 1), position INTEGER NOT NULL, leaf TEXT NOT NULL) STRICT;

CREATE TABLE tasks (
  position INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  user_id TEXT NOT NULL,
  session_id TEXT NOT NULL,
  status TEXT NOT NULL,
  agent TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  subtask INTEGER NOT NULL,
  deleted INTEGER NOT NULL,
  error TEXT,
  fields TEXT NOT NULL,
  sum INTEGER NOT NULL,
  summary TEXT NOT NULL,
  summary_sum INTEGER NOT NULL,
  principal TEXT NOT NULL,
  digest TEXT NOT NULL,
  request_id TEXT NOT NULL,
  has_key INTEGER NOT NULL,
  secret_ref TEXT,
  inputs TEXT NOT NULL,
  contributed TEXT,
  rollouts INTEGER NOT NULL,
  deadline INTEGER,
  ended_at INTEGER,
  completed_position INTEGER,
  row_sum INTEGER NOT NULL
) STRICT;
CREATE INDEX tasks_by_status ON tasks (status, position) WHERE deleted = 0;
CREATE INDEX tasks_by_user ON tasks (user_id, position) WHERE deleted = 0;
CREATE INDEX tasks_by_user_status ON tasks (user_id, status, position) WHERE deleted = 0;
CREATE INDEX tasks_by_session ON tasks (session_id, position) WHERE deleted = 0;
CREATE INDEX tasks_by_digest ON tasks (principal, digest, position);
CREATE INDEX tasks_by_deadline ON tasks (deadline) WHERE deadline IS NOT NULL;
CREATE INDEX tasks_waiting ON tasks (session_id, user_id, position) WHERE status = 'input-required';
CREATE INDEX tasks_unfinished ON tasks (position) WHERE ended_at IS NULL;

CREATE TABLE items (
  task INTEGER NOT NULL,
  n INTEGER NOT NULL,
  body TEXT NOT NULL,
  sum INTEGER NOT NULL,
  PRIMARY KEY (task, n)
) STRICT, WITHOUT ROWID;

CREATE TABLE steps (position INTEGER PRIMARY KEY, task INTEGER NOT NULL) STRICT;
CREATE TABLE task_files (
  task INTEGER NOT NULL,
  kind TEXT NOT NULL,
  folder TEXT NOT NULL,
  PRIMARY KEY (task, kind)
) STRICT, WITHOUT ROWID;

CREATE TABLE task_counts (status TEXT PRIMARY KEY, tasks INTEGER NOT NULL) STRICT;

CREATE TABLE idempotency_keys (
  principal TEXT NOT NULL,
  key TEXT NOT NULL,
  task_id TEXT NOT NULL,
  digest TEXT NOT NULL,
  time INTEGER NOT NULL,
  PRIMARY KEY (principal, key)
) STRICT, WITHOUT ROWID;

CREATE TABLE env_sessions (
  id TEXT PRIMARY KEY,
  position INTEGER NOT NULL,
  user_id TEXT NOT NULL,
  client_id TEXT NOT NULL,
  env_id TEXT NOT NULL,
  env_vars TEXT NOT NULL,
  recovery TEXT NOT NULL,
  secret_ref TEXT,
  is_active INTEGER NOT NULL,
  deleted INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  accessed_at INTEGER NOT NULL,
  close_reason TEXT,
  kind TEXT
) STRICT;
CREATE INDEX env_sessions_by_user ON env_sessions (user_id, position) WHERE deleted = 0;
CREATE INDEX env_sessions_by_position ON env_sessions (position) WHERE deleted = 0;
CREATE INDEX env_sessions_active ON env_sessions (accessed_at) WHERE is_active = 1;

CREATE TABLE tokens (
  id TEXT PRIMARY KEY,
  hash TEXT NOT NULL UNIQUE,
  role TEXT NOT NULL,
  user_id TEXT,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  revoked INTEGER NOT NULL
) STRICT;
`

const isCurrent = (db: Database.Database): boolean => {
  try {
    return db.pragma('user_version', { simple: true }) === readModelVersion
  } catch {
    return false
  }
}

/** Pages in the WAL from which this thread copies them itself. */
const mostPages = 32_768

const isFile = (path: string): boolean => path !== '' && path !== ':memory:'

/**
 * For its owner alone, also where it is made again while the server runs. Not mapped into memory: whoever cuts a mapped
 * file short ends every process that reads it (SIGBUS).
 */
const open = (path: string): Database.Database => {
  if (isFile(path) && !existsSync(path)) closeSync(openSync(path, 'a', 0o600))
  const db = new Database(path)
  db.pragma('journal_mode = WAL')
  db.pragma('synchronous = NORMAL')
  db.pragma('cache_size = -65536')
  db.pragma(`wal_autocheckpoint = ${mostPages}`)
  return db
}

/** Removes what is there, and makes an empty one. Throws CannotStart. */
const make = (path: string): Database.Database => {
  try {
    for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true })
    const db = open(path)
    db.exec(schema)
    db.pragma(`user_version = ${readModelVersion}`)
    return db
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new CannotStart(`${path} cannot be made (${why}): remove what is there, or make room`)
  }
}

/** What is there; a file of another version, or a damaged one, is replaced by an empty one. */
const openOrMake = (path: string): Database.Database => {
  let db: Database.Database | undefined
  try {
    db = open(path)
    if (isCurrent(db)) return db
  } catch {
    // Not a database, or cut short: it holds nothing that the log does not hold.
  }
  db?.close()
  return make(path)
}

/** Opens the read models; `anew` throws away what is there. Throws CannotStart. */
export const openReadStore = (path: string, anew = false): ReadStore =>
  renewable(
    () => (anew ? make(path) : openOrMake(path)),
    () => make(path),
    isFile(path) ? createCheckpoints(path) : none,
  )
