// The tables of the append-only log. Streams are numbered in order of creation, so that events of new streams come at
// the end of the unique index. The table `facts` describes the log as a whole: it holds the id of the log. Triggers
// forbid to change or to remove a row, except for what a stored event has erased.
//
// The payload of an event is null in `events` when it is long: then `long_payloads` has the number of the payload, and
// `pieces` its text. Pieces are stored before their event, so a crash can leave pieces without an event. These may be
// removed, and so may pieces of erased events.
//
// An event PayloadsErased names streams and a range of positions. The commit that stores it adds a row to `erased` for
// each of these streams. The payload and the salt of an event that such a row covers may become null.
import { erasablePrefixes, erasureStream, payloadsErased } from '../../contract/erased-range.ts'

/** Version of the tables below, stored in the file as `user_version`. */
export const schemaVersion = 2
/** The `application_id` of the file, which marks it as a log of Reprise: `rpri` in ASCII. */
export const applicationId = 0x72707269

const refuse = "SELECT RAISE(ABORT, 'the log is append-only')"
const neverRemoved = (table: string): string => `
CREATE TRIGGER ${table}_are_never_removed BEFORE DELETE ON ${table} BEGIN ${refuse}; END;`
const forbid = (table: string): string => `
CREATE TRIGGER ${table}_are_never_changed BEFORE UPDATE ON ${table} BEGIN ${refuse}; END;${neverRemoved(table)}`

/** Whether a row of `erased` covers the event `name` (an alias of `events`, OLD or NEW). */
const isCovered = (name: string): string =>
  `EXISTS (SELECT 1 FROM erased r WHERE r.stream_no = ${name}.stream_no
   AND ${name}.position BETWEEN r.first AND r.last)`

const longPayloads = `
CREATE TABLE long_payloads (
  no INTEGER PRIMARY KEY,
  position INTEGER NOT NULL UNIQUE
) STRICT;
${forbid('long_payloads')}
`

/** New pieces come at the end of the table and of its index, so that SQLite never moves a stored text. */
const piecesTable = `
CREATE TABLE pieces (
  payload INTEGER NOT NULL,
  n INTEGER NOT NULL,
  text TEXT NOT NULL,
  UNIQUE (payload, n)
) STRICT;
`
const pieceTriggers = `
CREATE TRIGGER pieces_are_never_changed BEFORE UPDATE ON pieces BEGIN ${refuse}; END;
CREATE TRIGGER pieces_of_events_are_never_removed BEFORE DELETE ON pieces
WHEN EXISTS (SELECT 1 FROM long_payloads l JOIN events e ON e.position = l.position
             WHERE l.no = OLD.payload AND NOT ${isCovered('e')})
BEGIN ${refuse}; END;
CREATE TRIGGER pieces_are_never_added_to_events BEFORE INSERT ON pieces
WHEN EXISTS (SELECT 1 FROM long_payloads WHERE no = NEW.payload)
BEGIN ${refuse}; END;
`

/** `first` and `last` are positions of events, and `erased_by` is the position of the event PayloadsErased. */
const erased = `
CREATE TABLE erased (
  stream_no INTEGER NOT NULL,
  first INTEGER NOT NULL,
  last INTEGER NOT NULL,
  erased_by INTEGER NOT NULL,
  PRIMARY KEY (stream_no, erased_by)
) STRICT, WITHOUT ROWID;
CREATE INDEX erased_by_event ON erased (erased_by);
${forbid('erased')}
CREATE TRIGGER erased_is_what_an_event_names BEFORE INSERT ON erased
WHEN NOT EXISTS (
  SELECT 1 FROM events e JOIN streams own ON own.no = e.stream_no JOIN streams s ON s.no = NEW.stream_no,
    json_each(e.payload, '$.streams') named
  WHERE e.position = NEW.erased_by AND own.id = '${erasureStream}' AND named.value = s.id
    AND json_extract(e.header, '$.type') = '${payloadsErased}'
    AND json_extract(e.payload, '$.from') = NEW.first AND json_extract(e.payload, '$.to') = NEW.last
    AND NEW.last < NEW.erased_by
    AND (${erasablePrefixes.map(prefix => `s.id GLOB '${prefix}*'`).join(' OR ')})
)
BEGIN SELECT RAISE(ABORT, 'the log erases only what a stored event names'); END;
`

/**
 * The owner and the session of a header, for the indexes of streams and for the queries that use them. A damaged header has
 * none.
 */
export const inHeader = (name: 'owner' | 'session_id'): string =>
  `iif(json_valid(header), json_extract(header, '$.${name}'), NULL)`

/** These indexes have one entry for each stream: its first event says whose it is, and in which session. */
const streamIndexes = `
CREATE INDEX streams_by_owner ON events (${inHeader('owner')}, stream_no) WHERE revision = 0;
CREATE INDEX streams_by_session ON events (${inHeader('session_id')}, stream_no) WHERE revision = 0;
`

/** An update may take the payload and the salt of a covered event, and change nothing else. */
const erasure = `
CREATE TRIGGER events_are_never_changed BEFORE UPDATE ON events
WHEN NOT (
  NEW.payload IS NULL AND NEW.salt IS NULL AND NEW.position IS OLD.position
  AND NEW.stream_no IS OLD.stream_no AND NEW.revision IS OLD.revision
  AND NEW.header IS OLD.header AND NEW.leaf IS OLD.leaf AND ${isCovered('OLD')}
)
BEGIN ${refuse}; END;
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
  salt TEXT,
  leaf TEXT NOT NULL,
  UNIQUE (stream_no, revision)
) STRICT;

CREATE TABLE facts (
  key TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT;
${streamIndexes}
${['streams', 'facts'].map(forbid).join('')}
${neverRemoved('events')}
${erased}
${erasure}
${longPayloads}
${piecesTable}
${pieceTriggers}
`
