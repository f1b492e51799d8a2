// The XState actor that follows the events of an environment session.
import { type SessionState, sessionChart, sessionMoveOf } from '../../src/contract/env-session-chart.ts'
import { liveKind } from '../runtime/live.ts'

export const liveSession = liveKind<{ readonly at: SessionState }>({
  chart: sessionChart,
  first: { at: 'absent' },
  /** Events of XState itself, such as `xstate.stop`, change nothing. */
  after(state, type) {
    const at = sessionMoveOf(state.at, type) ?? state.at
    return at === state.at ? state : { at }
  },
})
