// The tables of tasks. The body of an item is null when the item is long: its text is only in the log. Then `length` is
// about the number of its characters.
//
// A retry without a key is looked for among the tasks that have not ended, and among those that ended lately, by the start
// of the digest of their body. Tasks that ended in the same ten seconds stand together in that index. So new entries come
// to few pages of the file, although digests have no order.
//
// `shown` says how long a deleted task was shown: the number of hexadecimal digits of the distance from its creation to its
// deletion. With it, a list of the past finds the tasks that were deleted since, without the many that were deleted before.
export const taskTables = `
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
  digest_start TEXT AS (substr(digest, 1, 8)),
  request_id TEXT NOT NULL,
  has_key INTEGER NOT NULL,
  secret_ref TEXT,
  inputs TEXT NOT NULL,
  contributed TEXT,
  seen_until INTEGER,
  past TEXT,
  rollouts INTEGER NOT NULL,
  deadline INTEGER,
  wakes_at INTEGER,
  ended_at INTEGER,
  ended_span INTEGER AS (ended_at / 10000),
  ended_position INTEGER,
  deleted_position INTEGER,
  shown INTEGER AS (length(printf('%x', deleted_position - position))),
  life INTEGER,
  row_sum INTEGER NOT NULL
) STRICT;
CREATE INDEX tasks_by_status ON tasks (status, position) WHERE deleted = 0;
CREATE INDEX tasks_by_user ON tasks (user_id, position) WHERE deleted = 0;
CREATE INDEX tasks_by_user_status ON tasks (user_id, status, position) WHERE deleted = 0;
CREATE INDEX tasks_by_session ON tasks (session_id, position) WHERE deleted = 0;
CREATE INDEX tasks_completed_in_session ON tasks (session_id, user_id, ended_position)
  WHERE status = 'completed' AND deleted = 0 AND subtask = 0;
CREATE INDEX tasks_deleted_from_session ON tasks (session_id, user_id, deleted_position)
  WHERE status = 'completed' AND deleted = 1 AND subtask = 0;
CREATE INDEX tasks_deleted_of_user ON tasks (user_id, position) WHERE deleted = 1;
CREATE INDEX tasks_deleted_of_session ON tasks (session_id, position) WHERE deleted = 1;
CREATE INDEX tasks_deleted ON tasks (shown, position) WHERE deleted = 1;
CREATE INDEX tasks_by_life ON tasks (life, position) WHERE life IS NOT NULL;
CREATE INDEX tasks_with_past ON tasks (session_id, user_id) WHERE past IS NOT NULL;
CREATE INDEX tasks_forks ON tasks (position) WHERE past IS NOT NULL;
CREATE INDEX tasks_unfinished_by_digest ON tasks (digest_start)
  WHERE ended_at IS NULL AND has_key = 0 AND deleted = 0;
CREATE INDEX tasks_ended_by_digest ON tasks (ended_span, digest_start)
  WHERE ended_at IS NOT NULL AND has_key = 0 AND deleted = 0;
CREATE INDEX tasks_by_deadline ON tasks (deadline) WHERE deadline IS NOT NULL;
CREATE INDEX tasks_waiting ON tasks (session_id, user_id, position) WHERE status = 'input-required';
CREATE INDEX tasks_unfinished ON tasks (position) WHERE ended_at IS NULL;

CREATE TABLE items (
  task INTEGER NOT NULL,
  n INTEGER NOT NULL,
  body TEXT,
  sum INTEGER NOT NULL,
  length INTEGER,
  PRIMARY KEY (task, n)
) STRICT, WITHOUT ROWID;

CREATE TABLE task_moves (
  task INTEGER NOT NULL,
  position INTEGER NOT NULL,
  status TEXT NOT NULL,
  PRIMARY KEY (task, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE talking_tasks (task INTEGER PRIMARY KEY) STRICT;

CREATE TABLE saved_folds (
  task INTEGER NOT NULL,
  next INTEGER NOT NULL,
  position INTEGER NOT NULL,
  time INTEGER NOT NULL,
  version INTEGER NOT NULL,
  state TEXT NOT NULL,
  sum INTEGER NOT NULL,
  PRIMARY KEY (task, next)
) STRICT;

CREATE TABLE steps (position INTEGER PRIMARY KEY, task INTEGER NOT NULL) STRICT;
CREATE INDEX steps_by_task ON steps (task);
CREATE TABLE task_files (
  task INTEGER NOT NULL,
  kind TEXT NOT NULL,
  folder TEXT NOT NULL,
  PRIMARY KEY (task, kind)
) STRICT, WITHOUT ROWID;

CREATE TABLE task_counts (
  user_id TEXT NOT NULL,
  agent TEXT NOT NULL,
  subtask INTEGER NOT NULL,
  deleted INTEGER NOT NULL,
  status TEXT NOT NULL,
  tasks INTEGER NOT NULL,
  PRIMARY KEY (user_id, agent, subtask, deleted, status)
) STRICT, WITHOUT ROWID;
`

/** The value of the column `deleted` in the row of an erased task. A deleted task has 1, another task has 0. */
export const erasedMark = 2

/**
 * The columns by which a task is found and shown, with the values that the row of an erased task has. The checksum of a
 * row takes them in this order. Texts have their own checksums.
 */
export const blankKeys = {
  id: '',
  user_id: '',
  session_id: '',
  status: 'canceled',
  agent: '',
  subtask: 0,
  deleted: erasedMark,
  principal: '',
  digest: '',
  request_id: '',
  ended_at: 0,
  /** Which rollouts the task object shows. 0: none, 1: its own, 2: those of its subagents too. */
  rollouts: 0,
}
export const taskKeys = Object.keys(blankKeys) as (keyof typeof blankKeys)[]
export type TaskKeys = Omit<typeof blankKeys, 'ended_at'> & { ended_at: number | null }
