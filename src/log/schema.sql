-- The append-only log. Streams are numbered in order of creation, so that the unique index grows at its end.
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

-- Facts about this log as a whole: its id, made once.
CREATE TABLE about (
  key TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT;

CREATE TRIGGER events_are_never_changed BEFORE UPDATE ON events
BEGIN SELECT RAISE(ABORT, 'the log is append-only'); END;
CREATE TRIGGER events_are_never_removed BEFORE DELETE ON events
BEGIN SELECT RAISE(ABORT, 'the log is append-only'); END;
CREATE TRIGGER about_is_never_changed BEFORE UPDATE ON about
BEGIN SELECT RAISE(ABORT, 'the log is append-only'); END;
CREATE TRIGGER about_is_never_removed BEFORE DELETE ON about
BEGIN SELECT RAISE(ABORT, 'the log is append-only'); END;
CREATE TRIGGER streams_are_never_changed BEFORE UPDATE ON streams
BEGIN SELECT RAISE(ABORT, 'the log is append-only'); END;
CREATE TRIGGER streams_are_never_removed BEFORE DELETE ON streams
BEGIN SELECT RAISE(ABORT, 'the log is append-only'); END;
