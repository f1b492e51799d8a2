// The part of a task's view that says whether its agent is code of a user, and until when that code waits.
import { millisOf } from './millis.ts'
import type { Part } from './part.ts'

/** The end of a wait without a timer. Saved folds must hold it, so it is no infinity. */
export const noTimer = Number.MAX_SAFE_INTEGER

export type Code = {
  /** The version of the agent with which the task began; undefined: the agent is none of a user. */
  agentVersion: string | undefined
  /** Whether this code runs in workers of the user alone. */
  agentIsOwn: boolean
  /** The seed of the random numbers of the code. */
  agentSeed: string
  /** When the code began, in Unix milliseconds; in a fork, when the code of the original task began. */
  agentStartedAt: number
  /** When a timer of the code ends its wait, in Unix milliseconds; `noTimer`: no timer runs; undefined: it does not wait. */
  wakesAt: number | undefined
  /** Whether the task waits until a worker comes that has its agent. */
  awaitsWorker: boolean
}

const ends = (view: Code): void => {
  view.wakesAt = undefined
  view.awaitsWorker = false
}
const goOn = (view: Code): void => {
  view.wakesAt = undefined
}

export const code: Part<Code> = {
  begin(view) {
    view.agentVersion = undefined
    view.agentIsOwn = false
    view.agentSeed = ''
    view.agentStartedAt = 0
    view.wakesAt = undefined
    view.awaitsWorker = false
  },
  folds: {
    TaskQueued(view, { waiting_for }) {
      view.awaitsWorker = waiting_for === 'worker'
    },
    WorkerAwaited(view, { over }) {
      view.awaitsWorker = over !== true
    },
    TaskStarted(view, { agent_version, agent_own = false, agent_seed = '', original_at }, { time }) {
      view.agentVersion = agent_version
      view.agentIsOwn = agent_own
      view.awaitsWorker = false
      view.agentSeed = agent_seed
      view.agentStartedAt = original_at ?? millisOf(time)
    },
    AgentWaits(view, { until = noTimer }) {
      view.wakesAt = until
    },
    InputRequired(view, { until }) {
      view.wakesAt = until
    },
    AgentStepCompleted: goOn,
    EffectIntended: goOn,
    EffectCompleted: goOn,
    CancelRequested: goOn,
    PauseRequested: goOn,
    InputAnswered: goOn,
    TaskResumed: goOn,
    TaskPaused: ends,
    TaskCompleted: ends,
    TaskFailed: ends,
    TaskCanceled: ends,
    TaskExpired: ends,
  },
}
