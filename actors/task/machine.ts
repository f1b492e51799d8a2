// The lifecycle of a task as an XState chart: the nine statuses of the wire and one internal `absent`. Its
// events are facts of the log, so it judges which of them may follow. It invokes nothing, waits for nothing and
// has no final state: what runs is decided from the stored facts alone (effects.ts), and a task that ended can
// still be deleted.
import { setup } from 'xstate'
import type { TaskEventType } from '../../src/contract/task-events.ts'

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
