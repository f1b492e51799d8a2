// The tables of the append-only log. Streams are numbered in order of creation, so that the unique index grows at
// its end. `about` holds facts of the log as a whole: its id, made once. Triggers forbid every change.
const forbid = (table: string): string =>
  ['UPDATE', 'DELETE']
    .map(
      change => `CREATE TRIGGER ${table}_no_${change.toLowerCase()} BEFORE ${change} ON ${table}
BEGIN SELECT RAISE(ABORT, 'the log is append-only'); END;`,
    )
    .join('\n')

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

CREATE TABLE about (
  key TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT;

${['streams', 'events', 'about'].map(forbid).join('\n')}
`
