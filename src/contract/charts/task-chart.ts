// The lifecycle of a task as a statechart. Only this file defines the moves. The outermost states are the nine statuses
// that clients see, and one internal state, `absent`. The events of the chart are the events of the log. Replay uses
// the table of the chart (task-state.ts), XState runs the chart itself (actors/task/machine.ts), and
// docs/architecture.md shows its drawing. No state is final, because a task that has ended can still be deleted.
import type { Chart, Places } from './chart.ts'

const ends = { TaskCanceled: 'canceled', TaskExpired: 'expired' } as const

/**
 * Updates the list of open calls in the chart. The guard `callsOpen` asks whether a call is still open after the event.
 */
const calls = { actions: 'rememberCalls' } as const
const untilLast = [
  { guard: 'callsOpen', ...calls },
  { target: 'ready', ...calls },
] as const

/** How a task ends by the decision of its agent. The agent decides only between steps and calls. */
const outcomes = { TaskCompleted: '#task.completed', TaskFailed: '#task.failed' } as const
const ready = { AgentStepStarted: 'thinking', EffectIntended: { target: 'calling', ...calls } } as const
const thinking = { AgentStepCompleted: 'ready', AgentStepAbandoned: 'ready' } as const
const calling = { EffectIntended: calls, EffectCompleted: untilLast, InputAccepted: untilLast } as const
/** The agent goes on when a timer ends or a message comes. */
const goesOn = [
  { guard: 'callsOpen', target: 'calling', ...calls },
  { target: 'ready', ...calls },
] as const

export const taskChart = {
  id: 'task',
  initial: 'absent',
  on: { EffectIntended: calls, EffectCompleted: calls, InputAccepted: calls },
  states: {
    absent: { on: { TaskCreated: 'created' } },
    created: { on: { TaskQueued: 'queued', TaskStarted: 'working', ...ends } },
    queued: { on: { TaskStarted: 'working', ...ends } },
    working: {
      initial: 'ready',
      on: { TaskPaused: 'paused', TaskExpired: 'expired', CancelRequested: '#task.working.canceling' },
      states: {
        ready: {
          on: {
            ...ready,
            AgentWaits: 'waiting',
            InputRequired: '#task.input-required',
            ...outcomes,
            PauseRequested: '#task.working.pausing.ready',
          },
        },
        thinking: { on: { ...thinking, PauseRequested: '#task.working.pausing.thinking' } },
        calling: {
          on: {
            ...calling,
            AgentWaits: 'waiting',
            // The task of a turn or of a subagent waits for its client, or only timers of an agent's code run beside a question.
            InputRequired: '#task.input-required',
            PauseRequested: '#task.working.pausing.calling',
          },
        },
        // The code of the agent waits for timers and messages alone. It need not be in memory.
        waiting: {
          on: {
            EffectIntended: { target: 'calling', ...calls },
            EffectCompleted: goesOn,
            InputAccepted: goesOn,
            PauseRequested: '#task.working.pausing.calling',
          },
        },
        pausing: {
          initial: 'ready',
          states: {
            ready: { on: { ...ready, ...outcomes } },
            thinking: { on: thinking },
            calling: { on: calling },
          },
        },
        // Running effects are being stopped. An empty transition forbids a move that the outer state `working` allows.
        canceling: {
          on: { TaskCanceled: '#task.canceled', TaskPaused: {}, TaskExpired: {}, CancelRequested: {} },
        },
      },
    },
    'input-required': {
      on: {
        InputAnswered: [{ guard: 'callsOpen', target: '#task.working.calling' }, { target: 'working' }],
        ...ends,
      },
    },
    paused: {
      on: {
        TaskResumed: [{ guard: 'callsOpen', target: '#task.working.calling' }, { target: 'working' }],
        ...ends,
      },
    },
    completed: {},
    canceled: {},
    expired: {},
    failed: {},
  },
} as const satisfies Chart

/** A status of the wire, or `absent` when there is no task yet. */
export type Lifecycle = keyof (typeof taskChart)['states']
/** An innermost state of the chart. */
export type TaskPlace = Places<typeof taskChart>
