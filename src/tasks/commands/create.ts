// Creates a task once, however often the request is repeated.

import { ownerOf, type Principal } from '../../contract/events/token-events.ts'
import { otherUser } from '../../contract/refusals.ts'
import { taskStream } from '../../contract/task-stream.ts'
import { type CreateTaskBody, isTerminal } from '../../contract/wire.ts'
import type { DecidedTask } from '../../history/task-view.ts'
import { createAnswerTask } from './answer-task.ts'
import type { Created, CreateRequest } from './create-request.ts'
import type { CommandDeps } from './deps.ts'
import { createNewTask } from './new-task.ts'

const userOf = (principal: Principal, body: CreateTaskBody): string => {
  const named = body.user_id ?? undefined
  if (principal.userId !== undefined && named !== undefined && named !== principal.userId) {
    throw otherUser(principal.userId, named)
  }
  return ownerOf(principal, named)
}

/** Whether a task rests: it has ended, is paused, or waits for input. */
export const isAtRest = ({ status }: DecidedTask): boolean =>
  isTerminal(status) || status === 'paused' || status === 'input-required'

export const creationCommands = (deps: CommandDeps) => {
  const { runtime, idempotency, log } = deps
  const answerTask = createAnswerTask(deps)
  const makeTask = createNewTask(deps)
  return {
    /** Creates a task, or finds the task that an earlier, identical request created. */
    async create(wanted: CreateRequest): Promise<Created> {
      const { principal, request, body } = wanted
      const userId = userOf(principal, body)
      await log.opened()
      const answered = await answerTask(wanted)
      if (answered !== undefined) return answered
      const call = {
        principal,
        digest: request.digest,
        key: wanted.idempotencyKey,
        taskId: body.task_id ?? undefined,
        isRetry: wanted.isRetry,
      }
      const once = await idempotency.once(call, () => makeTask(wanted, userId))
      return 'made' in once ? once.made : once
    },

    /** Resolves with the task when it has ended or waits. The client may be gone by then. */
    atRest: (taskId: string): Promise<DecidedTask> => runtime.until(taskStream(taskId), isAtRest),
  }
}
