// The lifecycle of an environment session as an XState chart. Its events are facts of the log; it invokes nothing.
import { setup, transition } from 'xstate'
import type { EnvSessionEventType, SessionState } from '../../src/contract/env-session-events.ts'

export const envSessionMachine = setup({
  types: { events: {} as { type: EnvSessionEventType } },
}).createMachine({
  id: 'env-session',
  initial: 'absent',
  states: {
    absent: { on: { EnvSessionCreated: 'active' } },
    active: {
      on: {
        EnvStepIntended: 'active',
        EnvStepCompleted: 'active',
        EnvSessionReset: 'active',
        EnvSessionClosed: 'closed',
      },
    },
    closed: { on: { EnvSessionCreated: 'active', EnvSessionDeleted: 'deleted' } },
    deleted: { on: { EnvSessionCreated: 'active' } },
  },
})

/** Where the machine goes from a state by a fact; undefined where it refuses. */
export const sessionMoveOf = (state: SessionState, type: EnvSessionEventType): SessionState | undefined => {
  const before = envSessionMachine.resolveState({ value: state })
  return before.can({ type }) ? transition(envSessionMachine, before, { type })[0].value : undefined
}

/** The machine as plain data, the state that a session is in, and the facts that may follow. */
export const describeSession = (state: SessionState) => ({
  machine: envSessionMachine.config,
  state,
  next_events: Object.keys(envSessionMachine.config.states?.[state]?.on ?? {}),
})
