import Database from 'better-sqlite3'

// Files of earlier versions of the log, made from one of this version: with the tables and triggers that they had then.

const no = "SELECT RAISE(ABORT, 'the log is append-only')"
const forbid = (table: string): string => `
CREATE TRIGGER ${table}_are_never_changed BEFORE UPDATE ON ${table} BEGIN ${no}; END;
CREATE TRIGGER ${table}_are_never_removed BEFORE DELETE ON ${table} BEGIN ${no}; END;`

const tables = `
CREATE TABLE streams (
  no INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE events (
  position INTEGER PRIMARY KEY,
  stream_no INTEGER NOT NULL REFERENCES streams (no),
  revision INTEGER NOT NULL,
  header TEXT NOT NULL,
  payload TEXT,
  salt TEXT NOT NULL,
  leaf TEXT NOT NULL,
  UNIQUE (stream_no, revision)
) STRICT;

CREATE TABLE facts (
  key TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT;
`
const longTables = `
CREATE TABLE long_payloads (
  no INTEGER PRIMARY KEY,
  position INTEGER NOT NULL UNIQUE
) STRICT;

CREATE TABLE pieces (
  payload INTEGER NOT NULL,
  n INTEGER NOT NULL,
  text TEXT NOT NULL,
  PRIMARY KEY (payload, n)
) STRICT, WITHOUT ROWID;
`
const longTriggers = `
CREATE TRIGGER pieces_are_never_changed BEFORE UPDATE ON pieces
BEGIN ${no}; END;
CREATE TRIGGER pieces_of_events_are_never_removed BEFORE DELETE ON pieces
WHEN EXISTS (SELECT 1 FROM long_payloads WHERE no = OLD.payload)
BEGIN ${no}; END;
CREATE TRIGGER pieces_are_never_added_to_events BEFORE INSERT ON pieces
WHEN EXISTS (SELECT 1 FROM long_payloads WHERE no = NEW.payload)
BEGIN ${no}; END;
${forbid('long_payloads')}
`
const copied = ['streams', 'events', 'facts']

/** Copies a closed log into a new file of an earlier version. Version 1 must have no long payloads. */
export const olderFile = (from: string, to: string, version: 1 | 2): void => {
  const db = new Database(to)
  db.exec(`ATTACH '${from}' AS new`)
  db.exec(tables + (version === 2 ? longTables : ''))
  for (const table of [...copied, ...(version === 2 ? ['long_payloads', 'pieces'] : [])])
    db.exec(`INSERT INTO main.${table} SELECT * FROM new.${table}`)
  db.exec(copied.map(forbid).join('') + (version === 2 ? longTriggers : ''))
  db.pragma(`user_version = ${version}`)
  db.pragma('application_id = 0x72707269')
  db.exec('DETACH new')
  db.close()
}
