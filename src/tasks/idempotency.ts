// Distinguishes a retry of a request that makes a task, or brings a message to one, from a new request.

import type { Principal } from '../contract/events/token-events.ts'
import { Refusal } from '../contract/refusals.ts'
import { scopes } from '../contract/request-scopes.ts'
import type { Thing } from '../once/lost-answers.ts'
import type { Once } from '../once/once.ts'
import type { Queries, TaskRow } from './queries.ts'

export type CreateCall = {
  principal: Principal
  digest: string
  /** The `Idempotency-Key` header. */
  key: string | undefined
  /** The `task_id` of the body. */
  taskId: string | undefined
  /** Whether the client marks the request as a retry. */
  isRetry: boolean
}

const undeleted = (row: TaskRow | undefined): TaskRow => {
  if (row === undefined || row.deleted === 1) throw new Refusal('Conflict', undefined, 'the task was deleted')
  return row
}

/** The task with this id. Throws a conflict if another request made it, or TaskNotFound if another user owns it. */
const taskById = (
  queries: Queries,
  { principal, digest, key }: CreateCall,
  taskId: string,
): TaskRow | undefined => {
  const row = queries.rowById(taskId)
  if (row === undefined) return undefined
  if (principal.userId !== undefined && principal.userId !== row.user_id) throw new Refusal('TaskNotFound')
  // In a request with a key, only the key may lead to an earlier task.
  if (key !== undefined) throw new Refusal('Conflict', { task_id: taskId })
  if (undeleted(row).digest !== digest) throw new Refusal('Conflict', { task_id: row.id })
  return row
}

/**
 * The task that a marked retry gets. If there are several with its body, it is one whose answer was lost: the oldest
 * unfinished one, or else the newest ended one.
 */
const chosen = (twins: TaskRow[], isLost: (thing: Thing) => boolean): TaskRow | undefined => {
  if (twins.length <= 1) return twins[0]
  const lost = twins.filter(isLost)
  return lost.find(twin => twin.ended_at === null) ?? lost.at(-1)
}

export const createIdempotency = ({ once, isKnown, lost }: Once, queries: Queries) => ({
  /** Runs `create`, or returns the earlier task when the call is a retry. One call at a time runs for each key. */
  async once<Made>(
    call: CreateCall,
    create: () => Promise<Made>,
  ): Promise<{ made: Made } | { replay: TaskRow }> {
    const { principal, key, digest, taskId, isRetry } = call
    const named = { scope: scopes.task, principal: principal.id, key, digest, isRetry }
    const done = await once(named, create, {
      mustBeThere: id => void undeleted(queries.rowById(id)),
      name: taskId === undefined ? undefined : { text: taskId, find: () => taskById(queries, call, taskId) },
      byBody: ({ since, isLost }) => chosen(queries.twins(principal.id, digest, since), isLost),
    })
    return 'made' in done ? done : { replay: undeleted(queries.rowById(done.replay)) }
  },
  /** Whether a request with this key made a task or brought a message. Throws Conflict for a key of another body. */
  isKnown: ({
    principal,
    key,
    digest,
  }: Pick<CreateCall, 'principal' | 'digest'> & { key: string }): Promise<boolean> =>
    isKnown({ scope: scopes.task, principal: principal.id, key, digest, isRetry: false }),
  /** The answer about this task could not be handed over whole. */
  notDelivered: (taskId: string): void => lost(scopes.task, taskId),
})
export type Idempotency = ReturnType<typeof createIdempotency>
