// Keeps the line in which tasks wait. One task of a session works at a time, and users take turns.

import { TransientMap } from '../../../src/platform/transient.ts'
export type Place = { taskId: string; userId: string; sessionId: string; agent: string }

type Session = { key: string; working: Set<string>; waiting: Place[] }

const keyOf = ({ userId, sessionId }: Place) => `${userId}\n${sessionId}` // neither id contains a line end

/** `isServed`: whether the agent of a task can run now. The sessions of other tasks wait. */
export const createWaitingLine = (isServed: (place: Place) => boolean) => {
  const sessions = new TransientMap<string, Session>()
  /** Users with sessions that could start a task, each with these sessions. The first user is next. */
  const ready = new Map<string, Set<Session>>()
  /** Sessions whose next task could start if its agent could run, each with that task. */
  const unserved = new Map<Session, Place>()

  const sessionOf = (place: Place): Session => {
    const key = keyOf(place)
    let session = sessions.get(key)
    if (session === undefined) {
      session = { key, working: new Set(), waiting: [] }
      sessions.set(key, session)
    }
    return session
  }

  /** Updates `ready` and `sessions` after a session has changed. */
  const review = (session: Session, { userId }: Place) => {
    const [next] = session.waiting
    const isFree = session.working.size === 0 && next !== undefined
    if (isFree && !isServed(next)) unserved.set(session, next)
    else unserved.delete(session)
    if (isFree && !unserved.has(session)) {
      const mine = ready.get(userId) ?? new Set()
      mine.add(session)
      ready.set(userId, mine)
      return
    }
    const mine = ready.get(userId)
    mine?.delete(session)
    if (mine?.size === 0) ready.delete(userId)
    if (session.working.size === 0 && session.waiting.length === 0) sessions.delete(session.key)
  }

  return {
    /** Whether no other task of the session works or waits. */
    isFree: (place: Place): boolean => !sessions.has(keyOf(place)),
    work(place: Place): void {
      const session = sessionOf(place)
      session.working.add(place.taskId)
      review(session, place)
    },
    wait(place: Place): void {
      const session = sessionOf(place)
      session.waiting.push(place)
      review(session, place)
    },
    remove(place: Place): void {
      const session = sessionOf(place)
      session.working.delete(place.taskId)
      session.waiting = session.waiting.filter(({ taskId }) => taskId !== place.taskId)
      review(session, place)
    },
    /**
     * Takes the next task out of the line; its user goes behind the other users. The caller must call `work` for this
     * task at once.
     */
    next(): Place | undefined {
      for (;;) {
        const first = ready.entries().next().value
        if (first === undefined) return undefined
        const [userId, mine] = first
        const session = mine.values().next().value
        const [place] = session?.waiting ?? []
        if (session === undefined || place === undefined) return undefined
        if (!isServed(place)) {
          review(session, place) // its hosts have gone meanwhile
          continue
        }
        session.waiting.shift()
        ready.delete(userId)
        mine.delete(session)
        if (mine.size > 0) ready.set(userId, mine)
        return place
      }
    },
    /** Looks again which agents can run. */
    lookAgain(): void {
      for (const [session, place] of [...unserved]) review(session, place)
    },
    clear(): void {
      sessions.clear()
      ready.clear()
      unserved.clear()
    },
  }
}
