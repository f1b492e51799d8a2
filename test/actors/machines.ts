// The charts as machines of XState's own interpreter, which tests compare with the folds. The server does not run them.
import { assign, setup } from 'xstate'
import { cronChart } from '../../src/contract/charts/cron-chart.ts'
import { sessionChart } from '../../src/contract/charts/env-session-chart.ts'
import { taskChart } from '../../src/contract/charts/task-chart.ts'
import { guards, openAfter } from '../../src/contract/charts/task-state.ts'
import { webhookChart, webhookGuards } from '../../src/contract/charts/webhook-chart.ts'
import type { CronEventType } from '../../src/contract/events/cron-events.ts'
import type { EnvSessionEventType } from '../../src/contract/events/env-session-events.ts'
import type { TaskEventType } from '../../src/contract/events/task-events.ts'

/** An event of the log in the form that the machine takes. */
type TaskMachineEvent = { type: TaskEventType; data?: unknown }
type Context = { open: readonly string[] }

const openWith = ({ context, event }: { context: Context; event: TaskMachineEvent }) =>
  openAfter(context.open, event.type, event.data)

export const taskMachine = setup({
  types: { context: {} as Context, events: {} as TaskMachineEvent },
  guards: { callsOpen: given => guards.callsOpen(openWith(given)) },
  actions: { rememberCalls: assign({ open: openWith }) },
}).createMachine({ ...taskChart, context: { open: [] } })

export const envSessionMachine = setup({
  types: { events: {} as { type: EnvSessionEventType } },
}).createMachine(sessionChart)

export const cronMachine = setup({
  types: { events: {} as { type: CronEventType } },
}).createMachine(cronChart)

export const webhookMachine = setup({
  types: { events: {} as { type: string; data?: unknown } },
  guards: { isEnabled: ({ event }) => webhookGuards.isEnabled(event.data) },
}).createMachine(webhookChart)
