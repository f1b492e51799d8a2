// Shows the status of a cron job and the status of a run as one word.
import type { Static } from 'typebox'
import type { CronRun } from '../../src/contract/wire/cron.ts'
import { Word } from '../ui/word.tsx'
import type { Job } from './times.ts'

const jobs = { active: 'working', paused: 'paused', ended: 'completed' } as const
export const JobState = ({ job: { status } }: { job: Job }) => <Word as={jobs[status]}>{status}</Word>

export type Run = Static<typeof CronRun>
const runs = {
  queued: 'paused',
  running: 'working',
  completed: 'completed',
  failed: 'failed',
  skipped: 'canceled',
} as const
export const RunState = ({ run: { status } }: { run: Run }) => <Word as={runs[status]}>{status}</Word>
