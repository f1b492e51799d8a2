// A line of jobs in which users take turns, however many jobs each has: after one job of a user, the next user is served.
// Jobs of one user stand in the order in which they came.
import { Members, TransientMap } from '../platform/transient.ts'

/** `leave` takes the job off the list of its user. */
type Waiting<Job> = { job: Job; leave(): void }
type User<Job> = { isHeldBack: boolean; waiting: Members<Waiting<Job>> }

export const createLine = <Job>() => {
  const users = new TransientMap<string, User<Job>>()
  /** The users whose jobs may begin. The first user is served next. */
  const ready = new Set<string>()

  const userOf = (name: string): User<Job> => {
    const known = users.get(name) ?? { isHeldBack: false, waiting: new Members<Waiting<Job>>() }
    users.set(name, known)
    return known
  }
  /** Updates `ready` and `users` after a change of this user. */
  const review = (name: string, user: User<Job>): void => {
    if (user.waiting.size > 0 && !user.isHeldBack)
      ready.add(name) // a user who is in the set already keeps their position
    else ready.delete(name)
    if (user.waiting.size === 0 && !user.isHeldBack) users.delete(name)
  }

  return {
    /** Adds a job. The returned function removes it; further calls do nothing. */
    join(name: string, job: Job): () => void {
      const user = userOf(name)
      let isWaiting = true
      const leave = user.waiting.join({
        job,
        leave() {
          isWaiting = false
          leave()
        },
      })
      review(name, user)
      return () => {
        if (!isWaiting) return
        isWaiting = false
        leave()
        review(name, user)
      }
    },
    /** Takes the next job off the line; undefined: no job may begin. */
    take(): { name: string; job: Job } | undefined {
      for (const name of ready) {
        const user = userOf(name)
        const [first] = user.waiting
        ready.delete(name) // `review` adds the user again behind the others if more jobs wait
        first?.leave()
        review(name, user)
        if (first !== undefined) return { name, job: first.job }
      }
      return undefined
    },
    /** While a user is held back, none of their jobs is taken. */
    holdBack(name: string, isHeldBack: boolean): void {
      const user = userOf(name)
      user.isHeldBack = isHeldBack
      review(name, user)
    },
    /** Whether a job may begin. */
    isReady: (): boolean => ready.size > 0,
    /** The number of this user's jobs that wait. */
    waiting: (name: string): number => users.get(name)?.waiting.size ?? 0,
  }
}
export type Line<Job> = ReturnType<typeof createLine<Job>>
