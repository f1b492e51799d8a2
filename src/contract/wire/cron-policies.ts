// The choices of a cron job: what to do with times that passed while the server was away, and with a time that comes
// while a run of the job is at work.
export const missedPolicies = ['skip', 'run_once'] as const
export const overlapPolicies = ['skip', 'queue', 'allow'] as const
