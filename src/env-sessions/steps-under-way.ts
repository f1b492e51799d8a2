// Counts the steps of each session that run or wait for their turn, and stops them when the session ends or is reset. They
// wait in one place, the mailbox of the session's actor. Commands are data, so the mailbox has neither their signals nor a
// limit for one kind of command: both are here.

import { StopStep } from '../contract/environment.ts'
import { Refusal } from '../contract/refusals.ts'
import type { DiskUse } from '../fairness/disk/disk-use.ts'
import type { Quotas } from '../fairness/quotas.ts'
import type { SessionView } from '../history/env-session.ts'
import { TransientMap } from '../platform/transient.ts'

/** At most this many steps wait for their turn in one session. */
const maxWaiting = 64

type Stop = (why: Refusal) => void

export const createStepsUnderWay = (
  { watch }: Pick<DiskUse, 'watch'>,
  { countRefusal }: Pick<Quotas, 'countRefusal'>,
) => {
  const stops = new TransientMap<string, Set<Stop>>()
  const count = (id: string): number => stops.get(id)?.size ?? 0
  return {
    count,
    /** Throws a refusal if no further step may wait. */
    mustNotBeMany(id: string): void {
      if (count(id) <= maxWaiting) return
      countRefusal('steps')
      throw new Refusal('Busy', { quota: 'steps', limit: maxWaiting, session_id: id })
    },
    /** Counts a step until its `over` is called. Until then, `stopAll` or a used-up disk quota can stop the step. */
    add(id: string, signal: AbortSignal) {
      const controller = new AbortController()
      let refusal: Refusal | undefined
      const stop: Stop = why => {
        refusal = why
        controller.abort(new StopStep(`was stopped: ${why.message}`))
      }
      const own = stops.get(id) ?? new Set()
      stops.set(id, own.add(stop))
      let unwatch = () => {}
      return {
        signal: AbortSignal.any([signal, controller.signal]),
        /** From now on, the step is stopped when the disk quota of the session's user is used up. */
        watchDisk: ({ created }: SessionView) => {
          if (created !== undefined) unwatch = watch(created.user_id, stop)
        },
        /** Throws the error again, or the reason of the stop if the step was stopped and the error is no refusal. */
        worded: (error: unknown) => {
          throw error instanceof Refusal ? error : (refusal ?? error)
        },
        over() {
          unwatch()
          own.delete(stop)
          if (own.size === 0) stops.delete(id)
        },
      }
    },
    /** Stops the running step of a session and all steps that wait for their turn. */
    stopAll(id: string, how: 'closed' | 'deleted' | 'reset'): void {
      const why = `its session was ${how}`
      const refusal =
        how === 'reset'
          ? new Refusal('Conflict', { session_id: id }, why)
          : new Refusal('SessionNotFound', { reason: how }, why)
      for (const stop of stops.get(id) ?? []) stop(refusal)
    },
  }
}
export type StepsUnderWay = ReturnType<typeof createStepsUnderWay>
