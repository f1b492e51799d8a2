// The metrics of cron jobs.
import { counter, type Family, gauge, type Labels } from './exposition.ts'

/** `triggered` and the fields after it: the numbers of runs since the start of the server. */
export type CronCounts = {
  jobs: Record<string, number>
  running: number
  triggered: number
  completed: number
  failed: number
  skipped: number
  queued: number
}
const outcomes = ['triggered', 'completed', 'failed', 'skipped', 'queued'] as const

export const cronFamilies = (counts: () => CronCounts): Family[] => [
  gauge('reprise_cron_jobs', 'Cron jobs by status.', () => {
    const { jobs } = counts()
    return ['active', 'paused', 'ended'].map((status): [Labels, number] => [{ status }, jobs[status] ?? 0])
  }),
  gauge('reprise_cron_running', 'Runs of cron jobs whose tasks have not ended.', () => counts().running),
  counter(
    'reprise_cron_runs_total',
    'Runs of cron jobs since the start of the server, by what happened.',
    () => {
      const now = counts()
      return outcomes.map((outcome): [Labels, number] => [{ outcome }, now[outcome]])
    },
  ),
]
