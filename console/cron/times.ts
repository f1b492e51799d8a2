// Says when a cron job runs: its schedule in words, and the times of its next runs.
import type { Static } from 'typebox'
import type { CronJob } from '../../src/contract/wire/cron.ts'
import { timesOf } from '../../src/cron/schedule/calendar.ts'
import { duration, moment } from '../ui/time.tsx'

export type Job = Static<typeof CronJob>

const shown = 5

/** The schedule of a job in a few words. */
export const whenOf = ({ schedule, every_seconds, at, timezone }: Job): string => {
  if (schedule !== undefined) return `${schedule} (${timezone})`
  if (every_seconds !== undefined) return `every ${duration(every_seconds * 1000)}`
  return at === undefined ? 'by hand only' : `once, ${moment(Date.parse(at))}`
}

/** Returns a function that finds the first time after a moment; undefined when there is none. */
const timesAfter = ({ schedule, every_seconds, timezone }: Job): ((after: number) => number | undefined) => {
  if (schedule !== undefined) return timesOf(schedule, timezone)
  return after => (every_seconds === undefined ? undefined : after + every_seconds * 1000)
}

/**
 * The next runs of a job, in milliseconds. The server says when the first one is. The code of the server computes the
 * others here, without jitter.
 */
export const nextRuns = (job: Job): number[] => {
  if (job.next_run_at === null) return []
  const runs = [Date.parse(job.next_run_at)]
  const end = job.ends_at === undefined ? Number.POSITIVE_INFINITY : Date.parse(job.ends_at)
  const left = Math.min(shown, (job.max_runs ?? Number.POSITIVE_INFINITY) - job.runs)
  const next = timesAfter(job)
  while (runs.length < left) {
    const at = next(runs.at(-1) as number)
    if (at === undefined || at > end) break
    runs.push(at)
  }
  return runs
}
