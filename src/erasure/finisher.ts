// Finishes stored erasures: at once, and again after an error or a crash, until nothing is left to destroy.
import { keptByNats, type NotErased } from '../contract/events/erasure-events.ts'
import type { Report } from '../contract/ports.ts'
import { Refusal } from '../contract/refusals.ts'
import { createTurns } from '../platform/turns.ts'
import { type Destroyers, destroyCopies, destroyOwn } from './destruction.ts'
import type { StoredErasure, StoredErasures } from './stored-erasures.ts'

type Deps = {
  destroyers: Destroyers
  stored: Pick<StoredErasures, 'finish' | 'leave' | 'unfinished'>
  report: Report
}

const system = { principal: 'system', causation: 'erasure' }

/**
 * An erasure that is not finished. `isUnsure`: an attempt has failed, or a crash has ended it. `kept`: what stays, when
 * all is destroyed that belongs to this erasure alone.
 */
type Pending = { erasure: StoredErasure; isUnsure: boolean; kept: NotErased[] | undefined }

const ignore = () => {}

export const createFinisher = ({ destroyers, stored, report }: Deps) => {
  const pending = new Map<string, Pending>()
  const alone = createTurns()
  const { reach } = destroyers

  const note = (erasure: StoredErasure, isUnsure: boolean): Pending => {
    const { erasure_id } = erasure
    const known = pending.get(erasure_id) ?? { erasure, isUnsure, kept: undefined }
    pending.set(erasure_id, known)
    return known
  }
  /** Destroys what belongs to one erasure alone. Remembers which folders stay: the next attempt may not find this out. */
  const destroyOf = async (one: Pending, all = destroyers): Promise<NotErased[]> => {
    if (one.kept !== undefined) return one.kept
    const kept = await destroyOwn(all, one.erasure, async left => {
      one.erasure = await stored.leave(one.erasure, left, system)
    })
    one.kept = kept
    return kept
  }
  const failed = (one: Pending, error: unknown): Refusal => {
    one.isUnsure = true
    one.kept = undefined
    const { erasure_id } = one.erasure
    const why = error instanceof Error ? error.message : String(error)
    report('warn', 'an erasure could not be finished: the server tries again', { erasure_id, error: why })
    return new Refusal('ErasureUnfinished', { erasure_id, reason: why })
  }
  /** Makes one attempt for all of these. Resolves to those that came to their end, and to the errors of the others. */
  const attempt = async (some: readonly Pending[], all = destroyers) => {
    let left: Pending[] = []
    const failures: Refusal[] = []
    for (const one of some) {
      await destroyOf(one, all).then(
        () => left.push(one),
        error => failures.push(failed(one, error)),
      )
    }
    if (left.length > 0) {
      const isUnsure = left.some(one => one.isUnsure)
      const erasures = left.map(({ erasure }) => erasure)
      await destroyCopies(all, erasures, isUnsure).catch(error => {
        failures.push(...left.map(one => failed(one, error)))
        left = []
      })
    }
    return { destroyed: left, failures }
  }
  const finishOne = async ({ erasure, kept = [] }: Pending): Promise<StoredErasure> => {
    const { erasure_id } = erasure
    const finished = await stored.finish(erasure, { erasure_id, not_erased: kept }, system)
    reach('after-result', 'erasure')
    pending.delete(erasure_id)
    report('info', `${erasure.streams.length} streams were erased`, { erasure_id, by: erasure.by })
    return finished
  }
  const finishSome = async (some: readonly Pending[]): Promise<StoredErasure[]> => {
    reach('after-intent', 'erasure')
    const { destroyed, failures } = await attempt(some)
    reach('after-effect', 'erasure')
    const finished: StoredErasure[] = []
    for (const one of destroyed)
      await finishOne(one).then(
        erasure => finished.push(erasure),
        error => failures.push(failed(one, error)),
      )
    if (failures.length > 0) throw failures[0]
    return finished
  }
  /** Finishes erasures together: what must be done everywhere is done once for all of them. */
  const finishAll = (erasures: readonly StoredErasure[]): Promise<StoredErasure[]> =>
    alone(() => finishSome(erasures.map(erasure => note(erasure, false))))
  const finish = async (erasure: StoredErasure): Promise<StoredErasure> => {
    const [finished] = await finishAll([erasure])
    return finished ?? erasure
  }
  return {
    finish,
    finishAll,
    /** Destroys what belongs to one erasure alone. `finishAll` does the rest. */
    prepare: (erasure: StoredErasure): Promise<void> =>
      alone(async () => {
        const one = note(erasure, false)
        await destroyOf(one).catch(error => {
          throw failed(one, error)
        })
      }),
    /** Finishes an erasure if it is not finished, or if NATS may still have messages about its streams. */
    finishAgain: async (erasure: StoredErasure): Promise<StoredErasure> => {
      const isLeft = erasure.finished?.not_erased.some(({ what }) => what === keptByNats) ?? true
      return isLeft ? finish(erasure) : erasure
    },
    /** Continues unfinished erasures before the server answers requests. With NATS, `retry` finishes them later. */
    async resume(): Promise<void> {
      for (const erasure of await stored.unfinished()) note(erasure, true)
      const all = [...pending.values()]
      if (all.length === 0) return
      if (destroyers.nats === undefined) return alone(() => finishSome(all)).then(ignore, ignore)
      await attempt(all, { ...destroyers, nats: undefined })
      for (const one of all) one.kept = undefined // NATS may still have messages
    },
    /** Notes the erasures that are stored although their write failed. `retry` finishes them. */
    async lookAgain(): Promise<void> {
      for (const erasure of await stored.unfinished()) note(erasure, true)
    },
    /** Tries again to finish what an error or a crash has left. */
    async retry(): Promise<void> {
      await alone(async () => {
        const left = [...pending.values()].filter(({ isUnsure }) => isUnsure)
        if (left.length > 0) await finishSome(left)
      }).catch(ignore)
    },
    /** The number of erasures that are not finished. */
    pending: () => pending.size,
  }
}
export type Finisher = ReturnType<typeof createFinisher>
