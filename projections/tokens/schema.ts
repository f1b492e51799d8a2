// The table of tokens.
export const tokenTables = `
CREATE TABLE tokens (
  id TEXT PRIMARY KEY,
  hash TEXT NOT NULL UNIQUE,
  role TEXT NOT NULL,
  name TEXT,
  user_id TEXT,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  revoked INTEGER NOT NULL
) STRICT;
CREATE INDEX tokens_of_user ON tokens (user_id) WHERE revoked = 0;
`
