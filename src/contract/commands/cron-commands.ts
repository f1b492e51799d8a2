// The commands that callers and the server itself give to a cron job.
import type { CronMaker, CronSettings } from '../events/cron-events.ts'

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
        /** The digest of the body, without secret values. */
        digest: string
        idempotencyKey?: string | undefined
      }
    /** `maker`, here and below: the job acts as this maker from now on, if it goes on. */
    | { type: 'ChangeJob'; settings: CronSettings; enabled?: boolean; maker?: CronMaker }
    | { type: 'PauseJob'; reason: string }
    | { type: 'ResumeJob'; maker?: CronMaker }
    /** The maker of a job that is paused for this reason has a valid token again. */
    | { type: 'GoOn' }
    | { type: 'DeleteJob' }
    /**
     * A time of the schedule is due. `skipId`: the id of a record of missed times. `seenAt`: when the alarm looked at
     * the clock. The command may wait behind the commands of other jobs, but a time that the alarm saw early enough
     * does not count as missed.
     */
    | { type: 'RunDue'; runId: string; skipId: string; seenAt: number }
    /** A caller wants a run now. */
    | { type: 'RunNow'; runId: string; idempotencyKey?: string | undefined }
    /** The oldest waiting run may begin. `ticket`: the id under which the request of its task was read. */
    | { type: 'RunQueued'; ticket: string }
    | { type: 'EndRun'; runId: string; end: RunEnd }
  )
