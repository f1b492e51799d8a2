// The chart of a cron job (src/contract/cron-chart.ts) as an XState machine. The machine starts no work and sets no
// timers.
import { setup } from 'xstate'
import { type CronState, cronChart, cronMovesFrom } from '../../src/contract/cron-chart.ts'
import type { CronEventType } from '../../src/contract/cron-events.ts'

export const cronMachine = setup({
  types: { events: {} as { type: CronEventType } },
}).createMachine(cronChart)

/** The machine as plain data, the state of the job in it, and the events that may follow. */
export const describeCronJob = (state: CronState) => ({
  machine: cronChart,
  state,
  value: state,
  next_events: cronMovesFrom(state),
})
