// Distinguishes a retry from a new request, for each principal. Keys and digests are in the log (in TaskCreated). Only
// data that a restart may lose is kept here: the running creates, and the tasks whose answers did not arrive whole.
import type { Clock } from '../contract/ports.ts'
import type { FailingLog } from '../contract/stored.ts'
import { type CreateCall, taskByBody, taskById, taskByKey } from './earlier-task.ts'
import { createOnce } from './once.ts'
import type { Queries, TaskRow } from './queries.ts'
import { createUndelivered } from './undelivered.ts'

export type Idempotency = {
  /** Runs `create`, or returns the earlier task when the call is a retry. One call at a time runs for each key. */
  once<T>(call: CreateCall, create: () => Promise<T>): Promise<{ made: T } | { replay: TaskRow }>
  /** The answer of this task could not be handed over whole. */
  notDelivered(taskId: string): void
}

/** The names of a create: its key and its id, in the order in which they are checked. */
const namesOf = ({ principal, key, taskId }: CreateCall): string[] => [
  ...(key === undefined ? [] : [`key ${principal.id} ${key}`]),
  ...(taskId === undefined ? [] : [`id ${taskId}`]),
]

export const createIdempotency = (queries: Queries, log: FailingLog, clock: Clock): Idempotency => {
  const once = createOnce(log)
  const undelivered = createUndelivered(queries.headPosition())

  /** The task of the request that this call repeats. */
  const earlier = (call: CreateCall): TaskRow | undefined => {
    const { key, taskId, isRetry } = call
    if (key !== undefined) {
      const known = taskByKey(queries, call, key, clock.now())
      if (known !== undefined) return known
    }
    if (taskId !== undefined) return taskById(queries, call, taskId)
    if (key !== undefined || !isRetry) return undefined
    return taskByBody(queries, call, undelivered.has, clock.now())
  }

  /** Claims the task at once, so that no other retry of the same moment finds it. */
  const claimed = (call: CreateCall): TaskRow | undefined => {
    const found = earlier(call)
    if (found !== undefined) undelivered.claim(found)
    return found
  }

  return {
    once(call, create) {
      const { principal, digest, isRetry } = call
      const names = { named: namesOf(call), body: `body ${principal.id} ${digest}`, isRetry }
      return once(names, () => claimed(call), create)
    },
    notDelivered: undelivered.add,
  }
}
