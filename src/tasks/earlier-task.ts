// Finds the task of an earlier request that a create repeats: by its key, by its task_id, or by its body.
import { Refusal } from '../contract/refusals.ts'
import type { Principal } from '../contract/token-events.ts'
import type { Queries, TaskRow } from './queries.ts'

export type CreateCall = {
  principal: Principal
  digest: string
  /** The `Idempotency-Key` header. */
  key: string | undefined
  /** The `task_id` of the body. */
  taskId: string | undefined
  /** Whether the client marks the request as a retry (`x-stainless-retry-count` > 0). */
  isRetry: boolean
}

/** For this many milliseconds, a request with an idempotency key finds what the first request with this key made. */
export const keyLivesMs = 24 * 3600 * 1000
/** For this many milliseconds, a retry without a key finds what was made. For a task, they begin when the task ends. */
export const bodyLivesMs = 600 * 1000

const undeleted = (row: TaskRow | undefined): TaskRow => {
  if (row === undefined || row.deleted === 1) throw new Refusal('Conflict', undefined, 'the task was deleted')
  return row
}

/** The task of the request with this key. Throws a conflict if its body was another, or if the task was deleted. */
export const taskByKey = (
  queries: Queries,
  { principal, digest }: CreateCall,
  key: string,
  now: number,
): TaskRow | undefined => {
  const known = queries.idempotencyKey(principal.id, key)
  if (known === undefined || known.time + keyLivesMs <= now) return undefined
  if (known.digest !== digest) throw new Refusal('Conflict', { idempotency_key: key })
  return undeleted(queries.rowById(known.task_id))
}

/** The task with this id. Throws a conflict if another request made it, or TaskNotFound if another user owns it. */
export const taskById = (
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
 * The task with this body. If there are several, it is one whose answer was lost: the oldest unfinished one, or else
 * the newest ended one.
 */
export const taskByBody = (
  queries: Queries,
  { principal, digest }: CreateCall,
  isLost: (row: TaskRow) => boolean,
  now: number,
): TaskRow | undefined => {
  const twins = queries.sameBody(principal.id, digest, now - bodyLivesMs)
  if (twins.length <= 1) return twins[0]
  const lost = twins.filter(isLost)
  return lost.find(twin => twin.ended_at === null) ?? lost.at(-1)
}
