// Reads the rows of cron jobs and of their runs.
import { noValidToken } from '../../src/contract/events/cron-events.ts'
import type { ReadStore } from '../store.ts'

export type JobRow = {
  id: string
  position: number
  user_id: string
  state: 'active' | 'paused' | 'ended' | 'deleted'
  paused_reason: string | null
  settings: string
  secret_ref: string | null
  maker_token: string
  maker_user: string | null
  created_at: number
  next_at: number | null
  due_at: number | null
  runs: number
  running: number
  queued: number
  /** The newest run that completed or failed. */
  last_run: RunRow | null
}
export type RunRow = {
  id: string
  job_id: string
  position: number
  status: 'queued' | 'running' | 'completed' | 'failed' | 'skipped'
  task_id: string | null
  scheduled_at: number
  started_at: number | null
  ended_at: number | null
  reason: string | null
  error: string | null
  skipped_until: number | null
  skipped_count: number | null
  manual: 0 | 1
}
type Counted = Omit<JobRow, 'last_run'>
type Page = { before: number; max: number }
type JobPage = Page & { user: string | null; state: string | null }

const columns = `*,
  (SELECT count(*) FROM cron_runs WHERE job_id = cron_jobs.id AND status = 'running') AS running,
  (SELECT count(*) FROM cron_runs WHERE job_id = cron_jobs.id AND status = 'queued') AS queued`

export const createCronRows = (store: ReadStore) => {
  const byId = store.prepare<[string], Counted>(`SELECT ${columns} FROM cron_jobs WHERE id = ?`)
  const page = store.prepare<[JobPage], Counted>(
    `SELECT ${columns} FROM cron_jobs
     WHERE state <> 'deleted' AND position < :before AND (:user IS NULL OR user_id = :user)
       AND (:state IS NULL OR state = :state)
     ORDER BY position DESC LIMIT :max`,
  )
  const count = store
    .prepare<[string], number>("SELECT count(*) FROM cron_jobs WHERE user_id = ? AND state <> 'deleted'")
    .pluck()
  const ofUser = store.prepare<[string], { id: string; isDeleted: number }>(
    `SELECT id, state = 'deleted' AS isDeleted FROM cron_jobs WHERE user_id = ?`,
  )
  const states = store.prepare<[], { state: string; jobs: number }>(
    'SELECT state, count(*) AS jobs FROM cron_jobs GROUP BY state',
  )
  const due = store.prepare<[], { id: string; due_at: number }>(
    'SELECT id, due_at FROM cron_jobs WHERE due_at IS NOT NULL',
  )
  const byMaker = store.prepare<
    [string],
    Pick<JobRow, 'id' | 'maker_token' | 'maker_user'> & { is_held: 0 | 1 }
  >(
    `SELECT id, maker_token, maker_user, state = 'paused' AS is_held FROM cron_jobs
     WHERE maker_user IS NOT NULL AND (state IN ('active', 'ended') OR (state = 'paused' AND paused_reason = ?))`,
  )
  const secretRefs = store
    .prepare<[], string>(
      "SELECT secret_ref FROM cron_jobs WHERE state <> 'deleted' AND secret_ref IS NOT NULL",
    )
    .pluck()
  const open = store.prepare<[], RunRow>("SELECT * FROM cron_runs WHERE status IN ('queued', 'running')")
  const run = store.prepare<[string], RunRow>('SELECT * FROM cron_runs WHERE id = ?')
  const runs = store.prepare<[Page & { job: string }], RunRow>(
    'SELECT * FROM cron_runs WHERE job_id = :job AND position < :before ORDER BY position DESC, id DESC LIMIT :max',
  )
  const lastRun = store.prepare<[string], RunRow>(
    `SELECT * FROM cron_runs WHERE job_id = ? AND status IN ('completed', 'failed')
     ORDER BY position DESC, id DESC LIMIT 1`,
  )
  const withLast = (row: Counted): JobRow => ({ ...row, last_run: lastRun.get(row.id) ?? null })
  return {
    byId(id: string): JobRow | undefined {
      const row = byId.get(id)
      return row && withLast(row)
    },
    /** The newest jobs before a position. */
    page: (query: JobPage): JobRow[] => page.all(query).map(withLast),
    countOf: (userId: string): number => count.get(userId) ?? 0,
    /** The jobs of a user, also deleted ones. */
    ofUser: (userId: string) =>
      ofUser.all(userId).map(({ id, isDeleted }) => ({ id, isDeleted: isDeleted === 1 })),
    states: () => states.all(),
    due: () => due.all(),
    /** The jobs of users that go on only while their makers have a valid token. `is_held`: paused for this reason. */
    byMaker: () => byMaker.all(noValidToken),
    secretRefs: () => secretRefs.all(),
    /** The runs that have not ended. */
    open: () => open.all(),
    run: (id: string) => run.get(id),
    /** The newest runs of a job before a position. */
    runs: (query: Page & { job: string }) => runs.all(query),
  }
}
