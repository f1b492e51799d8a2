// The chart of a cron job (src/contract/cron-chart.ts) as an XState machine. The machine starts no work and sets no
// timers.
import { setup } from 'xstate'
import { cronChart } from '../../src/contract/cron-chart.ts'
import type { CronEventType } from '../../src/contract/cron-events.ts'

export const cronMachine = setup({
  types: { events: {} as { type: CronEventType } },
}).createMachine(cronChart)
