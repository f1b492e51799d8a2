// Who works now and who waits. Decided in memory alone, in the order of the appends: a session of a user has
// one working task at a time, a limit (0: none) holds over all, and users take turns when it is reached. Filled
// once at start; after that it never reads a read model.

export type Place = { taskId: string; userId: string; sessionId: string }
export type Scheduler = {
  /** Calls back for each waiting task whose turn has come: its place is held already. */
  onTurn(start: (place: Place) => void): void
  /** Asked while a task is being created: true, it starts now and holds a place; false, it waits in line. */
  admit(place: Place): boolean
  /** Continues at once, whatever the limits say: it was answered or resumed. */
  enter(place: Place): void
  /** No longer working or waiting; the next one in line gets the place. */
  leave(taskId: string): void
  /** This task waits, or works, as the log says; one that is known already stays where it is. */
  fill(place: Place, working: boolean): void
  /** Forgets everybody: what follows is filled in from the log. */
  reset(): void
  /** After `fill`: starts whoever may. */
  begin(): void
  /** Whether it holds a place as one that works. */
  isRunning(taskId: string): boolean
  counts(): { running: number; waiting: number }
}

type Session = { key: string; working: Set<string>; waiting: Place[] }

export const createScheduler = (limit: number): Scheduler => {
  const listeners: ((place: Place) => void)[] = []
  const sessions = new Map<string, Session>()
  const running = new Map<string, Place>()
  const waiting = new Map<string, Place>()
  /** Users with a session that could start, each with those sessions; the first user is next. */
  const ready = new Map<string, Set<Session>>()

  const keyOf = ({ userId, sessionId }: Place) => `${userId}\n${sessionId}` // neither holds a line end
  const sessionOf = (place: Place): Session => {
    const key = keyOf(place)
    let session = sessions.get(key)
    if (session === undefined) {
      session = { key, working: new Set(), waiting: [] }
      sessions.set(key, session)
    }
    return session
  }

  /** Keeps `ready` and `sessions` true after a session changed. */
  const review = (session: Session, { userId }: Place) => {
    if (session.working.size === 0 && session.waiting.length > 0) {
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

  const hold = (place: Place) => {
    const session = sessionOf(place)
    session.working.add(place.taskId)
    running.set(place.taskId, place)
    review(session, place)
  }
  const wait = (place: Place) => {
    const session = sessionOf(place)
    session.waiting.push(place)
    waiting.set(place.taskId, place)
    review(session, place)
  }
  const full = () => limit > 0 && running.size >= limit

  const fillPlaces = () => {
    while (!full()) {
      const first = ready.entries().next().value
      if (first === undefined) return
      const [userId, mine] = first
      const session = mine.values().next().value
      const place = session?.waiting.shift()
      if (session === undefined || place === undefined) return
      ready.delete(userId)
      mine.delete(session)
      if (mine.size > 0) ready.set(userId, mine) // behind the others: users take turns
      waiting.delete(place.taskId)
      hold(place)
      for (const start of listeners) start(place)
    }
  }

  return {
    onTurn: start => void listeners.push(start),
    admit(place) {
      const session = sessionOf(place)
      const free = !full() && session.working.size === 0 && session.waiting.length === 0
      if (free) hold(place)
      else wait(place)
      return free
    },
    enter(place) {
      if (!running.has(place.taskId)) hold(place)
    },
    leave(taskId) {
      const place = running.get(taskId) ?? waiting.get(taskId)
      if (place === undefined) return
      const session = sessionOf(place)
      running.delete(taskId)
      waiting.delete(taskId)
      session.working.delete(taskId)
      session.waiting = session.waiting.filter(other => other.taskId !== taskId)
      review(session, place)
      fillPlaces()
    },
    fill(place, working) {
      if (running.has(place.taskId) || waiting.has(place.taskId)) return
      if (working) hold(place)
      else wait(place)
    },
    reset() {
      for (const known of [sessions, running, waiting, ready]) known.clear()
    },
    begin: fillPlaces,
    isRunning: taskId => running.has(taskId),
    counts: () => ({ running: running.size, waiting: waiting.size }),
  }
}
