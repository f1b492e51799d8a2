// Which tasks work now and which wait. It decides in memory alone, in the order of the appends: a session of a user has
// one working task at a time, a limit (0: none) holds over all, and users take turns when it is reached. It is filled
// once at the start; after that it never reads a read model.
import { createWaitingLine, type Place } from './waiting-line.ts'

export type Scheduler = {
  /** Calls back for each waiting task whose turn has come: its place is held already. */
  onTurn(start: (place: Place) => void): void
  /** Asked while a task is being created: true: it starts now and holds a place; false: it waits in line. */
  admit(place: Place): boolean
  /** Continues at once, whatever the limits say: it was answered or resumed. */
  enter(place: Place): void
  /** No longer working or waiting; the next one in line gets the place. */
  leave(taskId: string): void
  /** This task waits, or works, as the log says; one that is known already stays where it is. */
  fill(place: Place, working: boolean): void
  /** Forgets all tasks; `fill` brings them back from the log. */
  reset(): void
  /** After `fill`: starts the tasks that may start. */
  begin(): void
  /** Whether it holds a place as one that works. */
  isRunning(taskId: string): boolean
  counts(): { running: number; waiting: number }
}

/** `limit`: how many tasks may work at a time; 0 is no limit. */
export const createScheduler = (limit: number): Scheduler => {
  const listeners: ((place: Place) => void)[] = []
  const line = createWaitingLine()
  const running = new Map<string, Place>()
  const waiting = new Map<string, Place>()

  const hold = (place: Place) => {
    running.set(place.taskId, place)
    line.work(place)
  }
  const wait = (place: Place) => {
    waiting.set(place.taskId, place)
    line.wait(place)
  }
  const isFull = () => limit > 0 && running.size >= limit

  const fillPlaces = () => {
    while (!isFull()) {
      const place = line.next()
      if (place === undefined) return
      waiting.delete(place.taskId)
      hold(place)
      for (const start of listeners) start(place)
    }
  }

  return {
    onTurn: start => void listeners.push(start),
    admit(place) {
      const mayStart = !isFull() && line.isFree(place)
      if (mayStart) hold(place)
      else wait(place)
      return mayStart
    },
    enter(place) {
      if (!running.has(place.taskId)) hold(place)
    },
    leave(taskId) {
      const place = running.get(taskId) ?? waiting.get(taskId)
      if (place === undefined) return
      running.delete(taskId)
      waiting.delete(taskId)
      line.leave(place)
      fillPlaces()
    },
    fill(place, working) {
      if (running.has(place.taskId) || waiting.has(place.taskId)) return
      if (working) hold(place)
      else wait(place)
    },
    reset() {
      for (const known of [line, running, waiting]) known.clear()
    },
    begin: fillPlaces,
    isRunning: taskId => running.has(taskId),
    counts: () => ({ running: running.size, waiting: waiting.size }),
  }
}
