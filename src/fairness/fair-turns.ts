// Lets jobs wait for one of a few places, such as a thread. Users take turns, however many jobs each has: after one job
// of a user, the next user is served. The places of each user are limited, so that often one is free for another user's
// first job. Jobs of one user begin in the order in which they came.
import { createMembers, createTransientMap, type Members } from '../platform/transient.ts'

export type PlaceLimits = {
  /** The number of places. */
  places: number
  /** The most places that one user may hold. */
  perUser: number
}

/** A job that waits. `leave` takes it off the list of its user. */
type Job = { begin(): void; leave(): void }
type User = { held: number; waiting: Members<Job> }

export const createFairPlaces = ({ places, perUser }: PlaceLimits) => {
  const users = createTransientMap<string, User>()
  /** The users with waiting jobs who may have one more place. The first user is served next. */
  const ready = new Set<string>()
  let held = 0

  const userOf = (name: string): User => {
    const known = users.get(name) ?? { held: 0, waiting: createMembers<Job>() }
    users.set(name, known)
    return known
  }
  /** Updates `ready` and `users` after a job of this user came, began, ended or was dropped. */
  const review = (name: string, user: User): void => {
    if (user.waiting.size > 0 && user.held < perUser)
      ready.add(name) // a user who is in the set already keeps their position
    else ready.delete(name)
    if (user.waiting.size === 0 && user.held === 0) users.delete(name)
  }
  const count = (name: string, user: User, by: 1 | -1): void => {
    held += by
    user.held += by
    review(name, user)
  }
  const fillPlaces = (): void => {
    for (const name of ready) {
      if (held >= places) return
      const user = userOf(name)
      const [job] = user.waiting
      ready.delete(name) // `review` adds the user again behind the others if more jobs wait
      if (job === undefined) continue
      job.leave()
      count(name, user, 1)
      job.begin()
    }
  }

  return {
    /**
     * Resolves when the user has a place. The returned function gives the place back; further calls of it do nothing.
     * If the signal aborts while the user waits, `acquire` rejects with the signal's reason.
     */
    async acquire(name: string, signal?: AbortSignal): Promise<() => void> {
      signal?.throwIfAborted()
      const user = userOf(name)
      await new Promise<void>((resolve, reject) => {
        const giveUp = () => {
          leave()
          review(name, user)
          reject(signal?.reason)
        }
        const begin = () => {
          signal?.removeEventListener('abort', giveUp)
          resolve()
        }
        signal?.addEventListener('abort', giveUp, { once: true })
        const leave = user.waiting.join({ begin, leave: () => leave() })
        review(name, user)
        fillPlaces()
      })
      let isReleased = false
      return () => {
        if (isReleased) return
        isReleased = true
        count(name, user, -1)
        fillPlaces()
      }
    },
    /** Whether the user holds the most places that one user may hold. */
    isFull: (name: string): boolean => (users.get(name)?.held ?? 0) >= perUser,
    /** The number of this user's jobs that wait. */
    waiting: (name: string): number => users.get(name)?.waiting.size ?? 0,
  }
}
export type FairPlaces = ReturnType<typeof createFairPlaces>

/** Does a job once its user has a place for it. */
export type FairTurns = <Answer>(
  user: string,
  job: () => Promise<Answer>,
  /** If it aborts while the job waits, the job never begins and the call rejects with the signal's reason. */
  signal?: AbortSignal,
) => Promise<Answer>

export const createFairTurns = (limits: PlaceLimits): FairTurns => {
  const places = createFairPlaces(limits)
  return async (user, job, signal) => {
    const release = await places.acquire(user, signal)
    try {
      return await job()
    } finally {
      release()
    }
  }
}
