// Names the surfaces on which an `Idempotency-Key` means one request: two scopes may have the same key.

export const scopes = {
  /** Everything that makes a task or brings something to one: creates, forks, messages, answers. */
  task: 'task',
  job: 'job',
  webhook: 'webhook',
  session: 'session',
} as const

/** The scope of the runs that requests ask for in one cron job. */
export const runsOf = (jobId: string): string => `run ${jobId}`
/** A request for a run has no body. */
export const digestOfRun = ''
