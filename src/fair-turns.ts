// Work that waits for one of a few places, such as a thread. Users take turns, whatever each of them waits for: one who
// comes with a thousand jobs is served once, then the next user. No user holds every place, so that a job of another one
// need not even wait for a place. Jobs of one user begin in the order in which they came.

export type FairTurns = <Answer>(
  user: string,
  job: () => Promise<Answer>,
  /** Aborted while the job waits, it never begins: the answer rejects with the signal's reason. */
  signal?: AbortSignal,
) => Promise<Answer>

type User = { running: number; waiting: Set<() => void> }

/** `most` jobs at a time, of which one user has at most `mostOfOne`. */
export const createFairTurns = ({ most, mostOfOne }: { most: number; mostOfOne: number }): FairTurns => {
  const users = new Map<string, User>()
  /** Who waits and may have one more; the first is next. */
  const ready = new Set<string>()
  let running = 0

  const userOf = (name: string): User => {
    const known = users.get(name) ?? { running: 0, waiting: new Set() }
    users.set(name, known)
    return known
  }
  /** Keeps `ready` and `users` true after somebody came, began, ended or left. */
  const review = (name: string, user: User): void => {
    if (user.waiting.size > 0 && user.running < mostOfOne)
      ready.add(name) // who is there already keeps the place
    else ready.delete(name)
    if (user.waiting.size === 0 && user.running === 0) users.delete(name)
  }
  const count = (name: string, user: User, by: 1 | -1): void => {
    running += by
    user.running += by
    review(name, user)
  }
  const fillPlaces = (): void => {
    for (const name of ready) {
      if (running >= most) return
      const user = userOf(name)
      const [begin] = user.waiting
      ready.delete(name) // and behind the others again, if there is more
      if (begin === undefined) continue
      user.waiting.delete(begin)
      count(name, user, 1)
      begin()
    }
  }

  const place = (name: string, user: User, signal: AbortSignal | undefined): Promise<void> =>
    new Promise((resolve, reject) => {
      const leave = () => {
        user.waiting.delete(begin)
        review(name, user)
        reject(signal?.reason)
      }
      const begin = () => {
        signal?.removeEventListener('abort', leave)
        resolve()
      }
      signal?.addEventListener('abort', leave, { once: true })
      user.waiting.add(begin)
      review(name, user)
      fillPlaces()
    })

  return async (name, job, signal) => {
    signal?.throwIfAborted()
    const user = userOf(name)
    await place(name, user, signal)
    try {
      return await job()
    } finally {
      count(name, user, -1)
      fillPlaces()
    }
  }
}
