// Decides which tasks work and which wait, in memory only and in the order of the appends. A session of a user has one
// working task at a time. One limit (0: none) applies to all tasks; when it is reached, users take turns. The scheduler
// is filled once at the start; after that it never reads a read model.
//
// Tasks take places as jobs do (src/fairness/places.ts), and users take turns in the same way, but this line is its own. A
// task has its place before the append that says so, so nothing may be awaited between the question and the answer. A
// restart fills the line from the log. A task that was answered goes on although all places are taken. And the limit of
// one holds for a session of a user, not for a user.
import { TransientMap } from '../../../src/platform/transient.ts'
import { createWaitingLine, type Place } from './waiting-line.ts'

export type Scheduler = {
  /** Registers a callback, which receives each waiting task whose turn has come. The task holds a place by then. */
  onTurn(start: (place: Place) => void): void
  /** Called while a task is being created. True: it starts now and holds a place; false: it waits in line. */
  admit(place: Place): boolean
  /** Gives a place at once, whatever the limits say, to a task that was answered or resumed. */
  take(place: Place): void
  /** The code of the task's agent sleeps. The task stays the working one of its session, and counts for no limit. */
  rest(place: Place): void
  /** Looks again which agents can run, and starts the tasks that waited for them. */
  lookAgain(): void
  /** Registers a callback, which receives a waiting task whose agent can run now, or cannot any more. */
  onAwaits(tell: (place: Place, isAwaiting: boolean) => void): void
  /** Calls these callbacks for the tasks of which the contrary, or nothing, was said before. */
  tellAwaits(): void
  /** Whether a new task could start now: there is room, and no other task of its session works or waits. */
  isFree(place: Place): boolean
  /** Registers a callback, which is called when there is room again and no waiting task could take it. */
  onRoom(callback: () => void): void
  /** Removes a task that no longer works or waits. Waiting tasks that may start now get a place. */
  release(taskId: string): void
  /** Adds a task from the log that waits or works. A task that is known already stays where it is. */
  fill(place: Place, working: boolean): void
  /** Forgets all tasks; `fill` brings them back from the log. */
  reset(): void
  /** After `fill`: starts the tasks that may start. */
  begin(): void
  /** Whether the task holds a place as a working task. */
  isRunning(taskId: string): boolean
  counts(): { running: number; waiting: number }
}

/**
 * `limit`: new tasks wait while this many tasks work; 0: no limit. `isServed`: whether the agent of a task can run now;
 * tasks of other agents wait.
 */
export const createScheduler = (
  limit: number,
  isServed: (place: Place) => boolean = () => true,
): Scheduler => {
  const listeners: ((place: Place) => void)[] = []
  const roomListeners: (() => void)[] = []
  const awaitListeners: ((place: Place, isAwaiting: boolean) => void)[] = []
  const line = createWaitingLine(isServed)
  const running = new TransientMap<string, Place>()
  const waiting = new TransientMap<string, Place>()
  const resting = new TransientMap<string, Place>()
  /** Whether waiting tasks say that no host has their agent, as far as this is known. */
  const awaiting = new TransientMap<string, boolean>()

  const hold = (place: Place) => {
    running.set(place.taskId, place)
    line.work(place)
  }
  const wait = (place: Place) => {
    waiting.set(place.taskId, place)
    line.wait(place)
  }
  const isFull = () => limit > 0 && running.size >= limit
  const isFree = (place: Place) => !isFull() && line.isFree(place)

  const fillPlaces = () => {
    while (!isFull()) {
      const place = line.next()
      if (place === undefined) return
      waiting.delete(place.taskId)
      awaiting.delete(place.taskId)
      hold(place)
      for (const start of listeners) start(place)
    }
  }

  return {
    onTurn: start => void listeners.push(start),
    admit(place) {
      const canRun = isServed(place)
      const mayStart = isFree(place) && canRun
      if (mayStart) hold(place)
      else {
        wait(place)
        awaiting.set(place.taskId, !canRun)
      }
      return mayStart
    },
    isFree,
    onRoom: callback => void roomListeners.push(callback),
    take(place) {
      resting.delete(place.taskId)
      if (!running.has(place.taskId)) hold(place)
    },
    rest(place) {
      if (resting.has(place.taskId)) return
      if (!running.has(place.taskId)) line.work(place)
      running.delete(place.taskId)
      resting.set(place.taskId, place)
      fillPlaces()
    },
    lookAgain() {
      line.lookAgain()
      fillPlaces()
    },
    onAwaits: tell => void awaitListeners.push(tell),
    tellAwaits() {
      for (const [id, place] of waiting) {
        const isAwaiting = !isServed(place)
        if (awaiting.get(id) === isAwaiting) continue
        awaiting.set(id, isAwaiting)
        for (const tell of awaitListeners) tell(place, isAwaiting)
      }
    },
    release(taskId) {
      const place = running.get(taskId) ?? waiting.get(taskId) ?? resting.get(taskId)
      if (place === undefined) return
      running.delete(taskId)
      waiting.delete(taskId)
      awaiting.delete(taskId)
      resting.delete(taskId)
      line.remove(place)
      fillPlaces()
      if (!isFull()) for (const tell of roomListeners) tell()
    },
    fill(place, working) {
      if ([running, waiting, resting].some(known => known.has(place.taskId))) return
      if (working) hold(place)
      else wait(place)
    },
    reset() {
      for (const known of [line, running, waiting, resting, awaiting]) known.clear()
    },
    begin: fillPlaces,
    isRunning: taskId => running.has(taskId),
    counts: () => ({ running: running.size, waiting: waiting.size }),
  }
}
