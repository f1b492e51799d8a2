// Lets jobs wait for one of a few places, such as a thread. Users take turns, however many jobs each has: after one job
// of a user, the next user is served. The places of each user are limited, so that often one is free for another user's
// first job. Jobs of one user begin in the order in which they came.
//
// This is one of the two ideas of fairness here. Places say how many jobs run at a time, and whose is next. Shares
// (src/fairness/loop-shares.ts) say how much time of the event loop a user gets, however few jobs run. A slice of long
// work (src/fairness/slices.ts) is a place for one turn of the event loop. Requests need both: a place, and then their
// share (src/http/request/admission.ts). Tasks have a line of their own (actors/task/places/scheduler.ts).
import { TransientMap } from '../platform/transient.ts'
import { createLine } from './line.ts'

export type PlaceLimits = {
  /** The number of places. */
  places: number
  /** The most places that one user may hold. */
  perUser: number
}

export const createPlaces = ({ places, perUser }: PlaceLimits) => {
  const line = createLine<() => void>()
  /** The number of places that each user holds. */
  const holds = new TransientMap<string, number>()
  let held = 0

  const count = (name: string, by: 1 | -1): void => {
    const own = (holds.get(name) ?? 0) + by
    held += by
    if (own === 0) holds.delete(name)
    else holds.set(name, own)
    line.holdBack(name, own >= perUser)
  }
  const fillPlaces = (): void => {
    while (held < places) {
      const next = line.take()
      if (next === undefined) return
      count(next.name, 1)
      next.job()
    }
  }

  /**
   * Resolves when the user has a place. The returned function gives the place back; further calls of it do nothing.
   * If the signal aborts while the user waits, `acquire` rejects with the signal's reason.
   */
  const acquire = async (name: string, signal?: AbortSignal): Promise<() => void> => {
    signal?.throwIfAborted()
    await new Promise<void>((resolve, reject) => {
      const giveUp = () => {
        leave()
        reject(signal?.reason)
      }
      const begin = () => {
        signal?.removeEventListener('abort', giveUp)
        resolve()
      }
      signal?.addEventListener('abort', giveUp, { once: true })
      const leave = line.join(name, begin)
      fillPlaces()
    })
    let isReleased = false
    return () => {
      if (isReleased) return
      isReleased = true
      count(name, -1)
      fillPlaces()
    }
  }

  return {
    acquire,
    /**
     * Does a job once its user has a place for it. If the signal aborts while the job waits, the job never begins and the
     * call rejects with the signal's reason.
     */
    async hold<Answer>(name: string, job: () => Promise<Answer>, signal?: AbortSignal): Promise<Answer> {
      const release = await acquire(name, signal)
      try {
        return await job()
      } finally {
        release()
      }
    },
    /** Whether the user holds the most places that one user may hold. */
    isFull: (name: string): boolean => (holds.get(name) ?? 0) >= perUser,
    /** The number of this user's jobs that wait. */
    waiting: line.waiting,
  }
}
export type Places = ReturnType<typeof createPlaces>
