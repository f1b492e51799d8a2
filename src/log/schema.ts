// The tables of the append-only log. Streams are numbered in order of creation, so that events of new streams come at
// the end of the unique index. The table `facts` describes the log as a whole: it holds the id of the log. Triggers
// forbid to change or to remove a row.
//
// The payload of an event is null in `events` when it is long: then `long_payloads` has the number of the payload, and
// `pieces` its text. Pieces are stored before their event, so a crash can leave pieces without an event. Only these may
// be removed.

/** Version of the tables below, stored in the file as `user_version`. */
export const schemaVersion = 2
/** The `application_id` of the file, which marks it as a log of Reprise: `rpri` in ASCII. */
export const applicationId = 0x72707269

const forbid = (table: string): string => `
CREATE TRIGGER ${table}_are_never_changed BEFORE UPDATE ON ${table}
BEGIN SELECT RAISE(ABORT, 'the log is append-only'); END;
CREATE TRIGGER ${table}_are_never_removed BEFORE DELETE ON ${table}
BEGIN SELECT RAISE(ABORT, 'the log is append-only'); END;`

const notChanged = "SELECT RAISE(ABORT, 'the log is append-only')"

/** The tables that a file of version 1 lacks. */
export const sinceVersion1 = `
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

CREATE TRIGGER pieces_are_never_changed BEFORE UPDATE ON pieces
BEGIN ${notChanged}; END;
CREATE TRIGGER pieces_of_events_are_never_removed BEFORE DELETE ON pieces
WHEN EXISTS (SELECT 1 FROM long_payloads WHERE no = OLD.payload)
BEGIN ${notChanged}; END;
CREATE TRIGGER pieces_are_never_added_to_events BEFORE INSERT ON pieces
WHEN EXISTS (SELECT 1 FROM long_payloads WHERE no = NEW.payload)
BEGIN ${notChanged}; END;
${forbid('long_payloads')}
`

export const schema = `
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

${['streams', 'events', 'facts'].map(forbid).join('')}
${sinceVersion1}
`
