// The table of environment sessions.
/** The value of the column `deleted` in the row of an erased session. */
export const erasedMark = 2

export const envSessionTables = `
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
  kind TEXT NOT NULL
) STRICT;
CREATE INDEX env_sessions_by_user ON env_sessions (user_id, position) WHERE deleted = 0;
CREATE INDEX env_sessions_of_user ON env_sessions (user_id);
CREATE INDEX env_sessions_by_position ON env_sessions (position) WHERE deleted = 0;
CREATE INDEX env_sessions_active ON env_sessions (accessed_at) WHERE is_active = 1;
`
