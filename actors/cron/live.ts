// The XState actor that follows the events of a cron job.
import { type CronState, cronChart, cronMoveOf } from '../../src/contract/cron-chart.ts'
import { liveKind } from '../runtime/live.ts'

export const liveCronJob = liveKind<{ readonly at: CronState }>({
  chart: cronChart,
  first: { at: 'absent' },
  /** Events of XState itself, such as `xstate.stop`, change nothing. */
  after(state, type) {
    const at = cronMoveOf(state.at, type) ?? state.at
    return at === state.at ? state : { at }
  },
})
