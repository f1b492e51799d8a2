// The dependencies of the commands of tasks, and the helpers that these commands share.
import type { Runtime } from '../../../actors/runtime/runtime.ts'
import type { At } from '../../../actors/task/decide/events.ts'
import type { Scheduler } from '../../../actors/task/places/scheduler.ts'
import type { ApprovalDeps } from '../../../actors/task/step/approved-call.ts'
import type { Asked, TaskCommand } from '../../contract/commands/commands.ts'
import type { Principal } from '../../contract/events/token-events.ts'
import type { Ids } from '../../contract/ports.ts'
import type { FailingLog } from '../../contract/stored.ts'
import { taskStream } from '../../contract/task-stream.ts'
import { isTerminal } from '../../contract/wire.ts'
import type { Sessions } from '../../env-sessions/commands.ts'
import type { Quotas } from '../../fairness/quotas.ts'
import type { ReadStream } from '../../history/context.ts'
import type { DecidedTask } from '../../history/task-view.ts'
import type { Secrets } from '../../platform/secrets.ts'
import type { Idempotency } from '../idempotency.ts'
import type { Queries } from '../queries.ts'
import type { AnswerProblems } from '../question-problems.ts'
import type { RequestReader } from '../request-reader.ts'

export type CommandDeps = {
  runtime: Runtime<DecidedTask, TaskCommand>
  scheduler: Scheduler
  queries: Queries
  idempotency: Idempotency
  secrets: Secrets
  quotas: Pick<Quotas, 'reserveTask'>
  ids: Ids
  /**
   * What only a fork needs: the log, the check of its settings, the folder of workspaces, the time, and the copy of a
   * session.
   */
  forking: {
    read: ReadStream
    requests: RequestReader
    workspace: string
    at: () => At
    copySession: Sessions['fork']
  }
  log: FailingLog
  /** What plans a call that somebody approves. */
  approving: ApprovalDeps
  questionProblems: AnswerProblems
}

/** The stream of a task that this principal may touch. */
export const streamFor = (queries: Queries, principal: Principal, taskId: string): string => {
  queries.visible(principal, taskId)
  return taskStream(taskId)
}

export const by = (principal: Principal, requestId: string): Asked => ({
  principal: principal.id,
  causation: requestId,
})

export const always = (): true => true
export const hasEnded = ({ status }: DecidedTask): boolean => isTerminal(status)
