// What callers and the server itself ask of a cron job.
import type { CronMaker, CronSettings } from './cron-events.ts'

type Asked = { principal: string; causation: string }
/** The end of a run's task. `endedAt`: Unix milliseconds. */
export type RunEnd = { endedAt: number } & (
  | { status: 'completed' }
  | { status: 'failed' | 'canceled' | 'expired'; error: string }
)
export type CronCommand = Asked &
  (
    | {
        type: 'CreateJob'
        jobId: string
        userId: string
        settings: CronSettings
        maker: CronMaker
        enabled: boolean
      }
    | { type: 'ChangeJob'; settings: CronSettings; enabled?: boolean }
    | { type: 'PauseJob'; reason: string }
    /** `maker`: the job acts as this maker from now on. */
    | { type: 'ResumeJob'; maker?: CronMaker }
    | { type: 'DeleteJob' }
    /** A time of the schedule is due. `skipId`: the id of a record of missed times. */
    | { type: 'RunDue'; runId: string; skipId: string }
    /** A caller wants a run now. */
    | { type: 'RunNow'; runId: string }
    /** The oldest waiting run may begin. `ticket`: the id under which its request was read. */
    | { type: 'RunQueued'; ticket: string }
    | { type: 'EndRun'; runId: string; end: RunEnd }
  )
