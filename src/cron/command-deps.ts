// The dependencies of the commands of cron jobs, and the fields that these commands take from their caller.
import type { Runtime } from '../../actors/runtime/runtime.ts'
import type { Makers } from '../access/makers.ts'
import type { CronCommand } from '../contract/commands/cron-commands.ts'
import type { CronMaker } from '../contract/events/cron-events.ts'
import type { Principal } from '../contract/events/token-events.ts'
import type { Clock, Ids } from '../contract/ports.ts'
import type { FailingLog } from '../contract/stored.ts'
import type { Quotas } from '../fairness/quotas.ts'
import type { CronView } from '../history/cron-job.ts'
import type { Once } from '../once/once.ts'
import type { Secrets } from '../platform/secrets.ts'
import type { RequestReader } from '../tasks/request-reader.ts'
import type { CronQueries } from './queries.ts'
import type { Runs } from './runs.ts'

export type CronCommandDeps = {
  runtime: Pick<Runtime<CronView, CronCommand>, 'ask'>
  runs: Pick<Runs, 'now' | 'queued'>
  queries: CronQueries
  makers: Pick<Makers, 'mayAct'>
  requests: RequestReader
  once: Once
  secrets: Pick<Secrets, 'put' | 'forget'>
  quotas: Pick<Quotas, 'mustHaveCronJob'>
  log: FailingLog
  clock: Clock
  ids: Ids
  onFault: (error: unknown) => void
}
export type Asked = { principal: Principal; requestId: string }
export const by = ({ principal, requestId }: Asked) => ({ principal: principal.id, causation: requestId })
export const makerOf = ({ id, userId }: Principal): CronMaker => ({
  token_id: id,
  ...(userId === undefined ? {} : { user_id: userId }),
})

/** The maker that a job gets when this caller lets it go on: the caller, if the maker of the job may not act any more. */
export const makerAfter = (
  { mayAct }: Pick<Makers, 'mayAct'>,
  { maker_token: token, maker_user: userId }: { maker_token: string; maker_user: string | null },
  { principal }: Asked,
): { maker?: CronMaker } => (mayAct({ token, userId }) ? {} : { maker: makerOf(principal) })
