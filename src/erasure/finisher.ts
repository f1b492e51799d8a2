// Finishes stored erasures: at once, and again after an error or a crash, until nothing is left to destroy.
import { keptByNats } from '../contract/erasure-events.ts'
import type { Report } from '../contract/ports.ts'
import { Refusal } from '../contract/refusals.ts'
import { createTurns } from '../platform/turns.ts'
import { type Destroyers, destroy } from './destruction.ts'
import type { StoredErasure, StoredErasures } from './stored-erasures.ts'

type Deps = {
  destroyers: Destroyers
  stored: Pick<StoredErasures, 'finish' | 'leave' | 'unfinished'>
  report: Report
}

const system = { principal: 'system', causation: 'erasure' }

export const createFinisher = ({ destroyers, stored, report }: Deps) => {
  const pending = new Map<string, StoredErasure>()
  const alone = createTurns()
  const { reach } = destroyers

  /** Makes one attempt. Also remembers which folders stay, since the next attempt may not find this out any more. */
  const attempt = (erasure: StoredErasure, wasBegun: boolean, all = destroyers) => {
    pending.set(erasure.erasure_id, erasure)
    return destroy(all, erasure, {
      wasBegun,
      leave: async left => void pending.set(erasure.erasure_id, await stored.leave(erasure, left, system)),
    })
  }
  const finish = (erasure: StoredErasure): Promise<StoredErasure> =>
    alone(async () => {
      const { erasure_id } = erasure
      const before = pending.get(erasure_id)
      try {
        reach('after-intent', 'erasure')
        const not_erased = await attempt(before ?? erasure, before !== undefined)
        reach('after-effect', 'erasure')
        const finished = await stored.finish(erasure, { erasure_id, not_erased }, system)
        reach('after-result', 'erasure')
        pending.delete(erasure_id)
        report('info', `${erasure.streams.length} streams were erased`, { erasure_id, by: erasure.by })
        return finished
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error)
        report('warn', 'an erasure could not be finished: the server tries again', { erasure_id, error: why })
        throw new Refusal('ErasureUnfinished', { erasure_id, reason: why })
      }
    })

  return {
    finish,
    /** Finishes an erasure if it is not finished, or if NATS may still have messages about its streams. */
    finishAgain: async (erasure: StoredErasure): Promise<StoredErasure> => {
      const isLeft = erasure.finished?.not_erased.some(({ what }) => what === keptByNats) ?? true
      return isLeft ? finish(erasure) : erasure
    },
    /** Continues unfinished erasures before the server answers requests. With NATS, `retry` finishes them later. */
    async resume(): Promise<void> {
      for (const erasure of await stored.unfinished()) {
        pending.set(erasure.erasure_id, erasure)
        if (destroyers.nats === undefined) await finish(erasure).catch(() => {})
        else
          await attempt(erasure, true, { ...destroyers, nats: undefined }).catch(error =>
            report('warn', 'an erasure could not be finished: the server tries again', {
              error: String(error),
            }),
          )
      }
    },
    /** Notes the erasures that are stored although their write failed. `retry` finishes them. */
    async lookAgain(): Promise<void> {
      for (const erasure of await stored.unfinished())
        if (!pending.has(erasure.erasure_id)) pending.set(erasure.erasure_id, erasure)
    },
    async retry(): Promise<void> {
      for (const erasure of pending.values()) await finish(erasure).catch(() => {})
    },
    /** The number of erasures that are not finished. */
    pending: () => pending.size,
  }
}
export type Finisher = ReturnType<typeof createFinisher>
