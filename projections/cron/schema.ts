// The tables of cron jobs and of their runs.
export const cronTables = `
CREATE TABLE cron_jobs (
  id TEXT PRIMARY KEY,
  position INTEGER NOT NULL,
  user_id TEXT NOT NULL,
  state TEXT NOT NULL,
  paused_reason TEXT,
  settings TEXT NOT NULL,
  secret_ref TEXT,
  maker_token TEXT NOT NULL,
  maker_user TEXT,
  created_at INTEGER NOT NULL,
  next_at INTEGER,
  due_at INTEGER,
  runs INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX cron_jobs_by_position ON cron_jobs (position) WHERE state <> 'deleted';
CREATE INDEX cron_jobs_by_user ON cron_jobs (user_id, position) WHERE state <> 'deleted';
CREATE INDEX cron_jobs_of_user ON cron_jobs (user_id);
CREATE INDEX cron_jobs_due ON cron_jobs (due_at) WHERE due_at IS NOT NULL;
CREATE TABLE cron_runs (
  id TEXT PRIMARY KEY,
  job_id TEXT NOT NULL,
  position INTEGER NOT NULL,
  status TEXT NOT NULL,
  task_id TEXT,
  scheduled_at INTEGER NOT NULL,
  started_at INTEGER,
  ended_at INTEGER,
  reason TEXT,
  error TEXT,
  skipped_until INTEGER,
  skipped_count INTEGER,
  manual INTEGER NOT NULL
) STRICT;
CREATE INDEX cron_runs_by_job ON cron_runs (job_id, position);
CREATE INDEX cron_runs_ended ON cron_runs (job_id, position) WHERE status IN ('completed', 'failed');
CREATE INDEX cron_runs_open ON cron_runs (job_id, status) WHERE status IN ('queued', 'running');
`
