// Telling a retry from a new request, per principal. Keys and digests are facts of the log (in TaskCreated);
// here is only what a restart may forget: who is being answered, and whose answer did not arrive whole.
import type { Clock } from '../contract/ports.ts'
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
  /** Whether the caller says that it asks again (`x-stainless-retry-count` > 0). */
  isRetry: boolean
}

export type Idempotency = {
  /** Runs `create` unless the call is a retry; then gives the task of the first one. One at a time per key. */
  once<T>(call: CreateCall, create: () => Promise<T>): Promise<{ made: T } | { replay: TaskRow }>
  /** The answer of this task could not be handed over whole. */
  notDelivered(taskId: string): void
}

const keyLivesMs = 24 * 3600 * 1000
const bodyLivesMs = 600 * 1000
const rememberedAtMost = 100_000

export const createIdempotency = (queries: Queries, clock: Clock): Idempotency => {
  /** What is being created now, by key, id or body: the next one with the same waits. */
  const underWay = new Map<string, Promise<unknown>>()
  const undelivered = new Set<string>()
  /** Tasks from before this start whose answer was claimed since; every other one counts as not delivered. */
  const claimedOld = new Set<string>()
  const startedAt = queries.headPosition()

  const remember = (set: Set<string>, taskId: string) => {
    const oldest = set.size < rememberedAtMost ? undefined : set.values().next().value
    if (oldest !== undefined) set.delete(oldest)
    set.add(taskId)
  }

  const isUndelivered = ({ id, position }: TaskRow) =>
    undelivered.has(id) || (position <= startedAt && !claimedOld.has(id))
  const claim = ({ id, position }: TaskRow) => {
    undelivered.delete(id)
    if (position <= startedAt) remember(claimedOld, id)
  }

  const undeleted = (row: TaskRow | undefined): TaskRow => {
    if (row === undefined || row.deleted === 1)
      throw new Refusal('Conflict', undefined, 'the task was deleted')
    return row
  }

  const byKey = ({ principal, digest }: CreateCall, key: string): TaskRow | undefined => {
    const known = queries.idempotencyKey(principal.id, key)
    if (known === undefined || known.time + keyLivesMs <= clock.now()) return undefined
    if (known.digest !== digest) throw new Refusal('Conflict', { idempotency_key: key })
    return undeleted(queries.rowById(known.task_id))
  }

  const byId = ({ principal, digest, key }: CreateCall, taskId: string): TaskRow | undefined => {
    const row = queries.rowById(taskId)
    if (row === undefined) return undefined
    if (principal.userId !== undefined && principal.userId !== row.user_id) throw new Refusal('TaskNotFound')
    if (key !== undefined) throw new Refusal('Conflict', { task_id: taskId }) // the key alone decides
    if (undeleted(row).digest !== digest) throw new Refusal('Conflict', { task_id: row.id })
    return row
  }

  /** The only one seen, or else one whose answer did not arrive: unfinished first (oldest), then the newest. */
  const byBody = ({ principal, digest }: CreateCall): TaskRow | undefined => {
    const twins = queries.sameBody(principal.id, digest, clock.now() - bodyLivesMs)
    if (twins.length <= 1) return twins[0]
    const lost = twins.filter(isUndelivered)
    return lost.find(twin => twin.ended_at === null) ?? lost.at(-1)
  }

  const earlier = (call: CreateCall): TaskRow | undefined => {
    if (call.key !== undefined) {
      const known = byKey(call, call.key)
      if (known !== undefined) return known
    }
    if (call.taskId !== undefined) return byId(call, call.taskId)
    return call.key === undefined && call.isRetry ? byBody(call) : undefined
  }

  return {
    async once(call, create) {
      const { principal, digest, key, taskId } = call
      // In the order of the rules; a call without key or id stands in nobody's way but is seen by retries.
      const locks = [
        ...(key === undefined ? [] : [`key ${principal.id} ${key}`]),
        ...(taskId === undefined ? [] : [`id ${taskId}`]),
        `body ${principal.id} ${digest}`,
      ]
      const waitsFor = call.isRetry ? locks : locks.slice(0, -1)
      for (let busy = waitsFor.find(lock => underWay.has(lock)); busy !== undefined; ) {
        await underWay.get(busy)
        busy = waitsFor.find(lock => underWay.has(lock))
      }
      if (key !== undefined || taskId !== undefined || call.isRetry) {
        const replay = earlier(call)
        if (replay !== undefined) {
          claim(replay)
          return { replay }
        }
      }
      const made = create()
      const over = made.then(ignore, ignore)
      const held = locks.map(lock => {
        const before = underWay.get(lock)
        const both = before === undefined ? over : Promise.all([before, over])
        underWay.set(lock, both)
        return { lock, both }
      })
      try {
        return { made: await made }
      } finally {
        for (const { lock, both } of held) if (underWay.get(lock) === both) underWay.delete(lock)
      }
    },
    notDelivered: taskId => remember(undelivered, taskId),
  }
}

const ignore = () => {}
