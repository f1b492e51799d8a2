// The table of requests that made something, or brought something to a task, by the keys under which a repeated request
// finds them. `key` is empty when the request had none. `made` is the id of what it made. `stream` and `position` say
// which event stores the request; `time` is that of the event.
//
// A create of a task without a key has no row: its retry looks in the table of tasks.
export const requestTable = `
CREATE TABLE requests (
  scope TEXT NOT NULL,
  principal TEXT NOT NULL,
  key TEXT NOT NULL,
  position INTEGER NOT NULL,
  digest TEXT NOT NULL,
  made TEXT NOT NULL,
  stream TEXT NOT NULL,
  time INTEGER NOT NULL,
  PRIMARY KEY (scope, principal, key, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX requests_by_body ON requests (scope, principal, digest, time) WHERE key = '';
CREATE INDEX requests_by_stream ON requests (stream);
`
