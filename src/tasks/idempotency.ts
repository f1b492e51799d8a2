// Distinguishes a retry from a new request, for each principal. Keys and digests are in the log (in TaskCreated). Only
// data that a restart may lose is kept here: the running creates, and the tasks whose answers did not arrive whole.
import type { Clock } from '../contract/ports.ts'
import { type CreateCall, taskByBody, taskById, taskByKey } from './earlier-task.ts'
import { createKeyedLocks } from './keyed-locks.ts'
import type { Queries, TaskRow } from './queries.ts'
import { createUndelivered } from './undelivered.ts'

export type Idempotency = {
  /** Runs `create`, or returns the earlier task when the call is a retry. One call at a time runs for each key. */
  once<T>(call: CreateCall, create: () => Promise<T>): Promise<{ made: T } | { replay: TaskRow }>
  /** The answer of this task could not be handed over whole. */
  notDelivered(taskId: string): void
}

/** The locks of a create: its key, its id and its body, in the order in which the rules check them. */
const locksOf = ({ principal, key, taskId, digest }: CreateCall): string[] => [
  ...(key === undefined ? [] : [`key ${principal.id} ${key}`]),
  ...(taskId === undefined ? [] : [`id ${taskId}`]),
  `body ${principal.id} ${digest}`,
]

export const createIdempotency = (queries: Queries, clock: Clock): Idempotency => {
  const locks = createKeyedLocks()
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

  return {
    async once(call, create) {
      const keys = locksOf(call)
      // Only a retry waits for a create with the same body. Each equal create that is not marked as a retry makes a
      // task.
      const waitsFor = call.isRetry ? keys : keys.slice(0, -1)
      for (let busy = locks.busy(waitsFor); busy !== undefined; busy = locks.busy(waitsFor)) await busy
      const replay = earlier(call)
      if (replay !== undefined) {
        undelivered.claim(replay)
        return { replay }
      }
      const made = create()
      const unlock = locks.lock(keys, made)
      try {
        return { made: await made }
      } finally {
        unlock()
      }
    },
    notDelivered: undelivered.add,
  }
}
