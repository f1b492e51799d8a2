// The chart of an environment session (src/contract/env-session-chart.ts) as an XState machine. The machine starts no
// work.
import { setup } from 'xstate'
import { type SessionState, sessionChart, sessionMovesFrom } from '../../src/contract/env-session-chart.ts'
import type { EnvSessionEventType } from '../../src/contract/env-session-events.ts'

export const envSessionMachine = setup({
  types: { events: {} as { type: EnvSessionEventType } },
}).createMachine(sessionChart)

/** The machine as plain data, the session's state in it, and the events that may follow. */
export const describeSession = (state: SessionState) => ({
  machine: sessionChart,
  state,
  value: state,
  next_events: sessionMovesFrom(state),
})
