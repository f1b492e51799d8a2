// Finishes stored erasures: at once, and again after an error or a crash, until nothing is left to destroy.
import { keptByNats } from '../contract/erasure-events.ts'
import type { Report } from '../contract/ports.ts'
import { Refusal } from '../contract/refusals.ts'
import { type Destroyers, destroy } from './destruction.ts'
import type { StoredErasure, StoredErasures } from './stored-erasures.ts'

type Deps = {
  destroyers: Destroyers
  stored: Pick<StoredErasures, 'finish' | 'unfinished'>
  /** The position of the event that covers the one at a position. */
  erasedBy: (position: number) => number
  report: Report
}

const system = { principal: 'system', causation: 'erasure' }

export const createFinisher = ({ destroyers, stored, erasedBy, report }: Deps) => {
  const pending = new Map<string, StoredErasure>()
  let last: Promise<unknown> = Promise.resolve()
  /** One erasure is destroyed at a time. */
  const alone = <T>(work: () => Promise<T>): Promise<T> => {
    const mine = last.then(work, work)
    last = mine.catch(() => {})
    return mine
  }

  const finish = (erasure: StoredErasure): Promise<StoredErasure> =>
    alone(async () => {
      const { erasure_id } = erasure
      pending.set(erasure_id, erasure)
      try {
        const not_erased = await destroy(destroyers, erasure)
        const finished = await stored.finish(erasure, { erasure_id, not_erased }, system)
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
    /** Finishes an erasure that is not finished, or of which NATS still has messages. */
    finishAgain: async (erasure: StoredErasure): Promise<StoredErasure> => {
      const isLeft = erasure.finished?.not_erased.some(({ what }) => what === keptByNats) ?? true
      return isLeft ? finish(erasure) : erasure
    },
    erasedBy,
    /** Destroys what a crash has left, before anything is answered. What needs NATS follows with `retry`. */
    async resume(): Promise<void> {
      for (const erasure of await stored.unfinished()) {
        await destroy({ ...destroyers, nats: undefined }, erasure)
        if (destroyers.nats === undefined) await finish(erasure)
        else pending.set(erasure.erasure_id, erasure)
      }
    },
    async retry(): Promise<void> {
      for (const erasure of pending.values()) await finish(erasure).catch(() => {})
    },
    /** How many erasures are not finished. */
    pending: () => pending.size,
  }
}
export type Finisher = ReturnType<typeof createFinisher>
