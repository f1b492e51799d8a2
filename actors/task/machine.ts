// The lifecycle of a task as an XState chart: the nine statuses of the wire and one internal `absent`. Its
// events are facts of the log, so it judges which of them may follow. It invokes nothing, waits for nothing and
// has no final state: what runs is decided from the stored facts alone (effects.ts), and a task that ended can
// still be deleted.
import { setup, transition } from 'xstate'
import type { TaskEventType } from '../../src/contract/task-events.ts'
import type { Lifecycle } from '../../src/contract/task-lifecycle.ts'
import type { TaskStatus } from '../../src/contract/wire.ts'

const fromWaiting = { TaskCanceled: 'canceled', TaskExpired: 'expired' } as const

export const taskMachine = setup({ types: { events: {} as { type: TaskEventType } } }).createMachine({
  id: 'task',
  initial: 'absent',
  states: {
    absent: { on: { TaskCreated: 'created' } },
    created: { on: { TaskQueued: 'queued', TaskStarted: 'working', ...fromWaiting } },
    queued: { on: { TaskStarted: 'working', ...fromWaiting } },
    working: {
      on: {
        InputRequired: 'input-required',
        TaskPaused: 'paused',
        TaskCompleted: 'completed',
        TaskFailed: 'failed',
        ...fromWaiting,
      },
    },
    'input-required': { on: { InputAnswered: 'working', ...fromWaiting } },
    paused: { on: { TaskResumed: 'working', ...fromWaiting } },
    completed: {},
    canceled: {},
    expired: {},
    failed: {},
  },
})

/**
 * Where the machine goes from a status by a fact; undefined where it refuses. Asked of the machine once for each
 * pair: an append may hold several moves, and only the first can be asked of a live actor.
 */
const moves = new Map<string, Lifecycle | undefined>()
export const moveOf = (status: Lifecycle, type: TaskEventType): Lifecycle | undefined => {
  const pair = `${status} ${type}`
  if (!moves.has(pair)) {
    const before = taskMachine.resolveState({ value: status })
    moves.set(pair, before.can({ type }) ? transition(taskMachine, before, { type })[0].value : undefined)
  }
  return moves.get(pair)
}

/** The machine as plain data, the state that a task is in, and the facts that may follow. */
export const describeMachine = (state: TaskStatus) => ({
  machine: taskMachine.config,
  state,
  next_events: Object.keys(taskMachine.config.states?.[state]?.on ?? {}),
})
