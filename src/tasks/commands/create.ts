// Creates a task once, however often it is asked for.
import { otherUser } from '../../contract/refusals.ts'
import { taskStream } from '../../contract/task-stream.ts'
import { ownerOf, type Principal } from '../../contract/token-events.ts'
import { type CreateTaskBody, isTerminal } from '../../contract/wire.ts'
import type { DecidedTask } from '../../history/task-view.ts'
import type { CommandDeps } from './deps.ts'
import { createGoOn } from './go-on.ts'
import { createNewTask } from './new-task.ts'
import type { Created, CreateWish } from './wish.ts'

const userOf = (principal: Principal, body: CreateTaskBody): string => {
  const named = body.user_id ?? undefined
  if (principal.userId !== undefined && named !== undefined && named !== principal.userId) {
    throw otherUser(principal.userId, named)
  }
  return ownerOf(principal, named)
}

/** A task at rest: ended, or waiting for somebody. */
export const isAtRest = ({ status }: DecidedTask): boolean =>
  isTerminal(status) || status === 'paused' || status === 'input-required'

export const creationCommands = (deps: CommandDeps) => {
  const { runtime, idempotency, ready, isLogAway } = deps
  const goOn = createGoOn(deps)
  const makeTask = createNewTask(deps)
  return {
    /** Creates a task, or finds the one that an earlier call of the same request made. */
    async create(wish: CreateWish): Promise<Created> {
      const { principal, request, body } = wish
      const userId = userOf(principal, body)
      if (isLogAway()) await ready()
      const answered = await goOn(wish)
      if (answered !== undefined) return answered
      const call = {
        principal,
        digest: request.digest,
        key: wish.idempotencyKey,
        taskId: body.task_id ?? undefined,
        isRetry: wish.isRetry,
      }
      const once = await idempotency.once(call, () => makeTask(wish, userId))
      return 'made' in once ? once.made : once
    },

    /** The task once it has ended or waits; whoever asked may long be gone. */
    atRest: (taskId: string): Promise<DecidedTask> => runtime.until(taskStream(taskId), isAtRest),
  }
}
