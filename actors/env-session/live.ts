// An environment session as its running XState actor follows it.
import { type SessionState, sessionChart, sessionMoveOf } from '../../src/contract/env-session-chart.ts'
import { liveKind } from '../runtime/live.ts'

export const liveSession = liveKind<{ readonly at: SessionState }>({
  chart: sessionChart,
  first: { at: 'absent' },
  /** XState has events of its own, such as `xstate.stop`: they change nothing. */
  after(state, type) {
    const at = sessionMoveOf(state.at, type) ?? state.at
    return at === state.at ? state : { at }
  },
})
