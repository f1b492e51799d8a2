// The chart of a task (src/contract/task-chart.ts) as an XState machine. The machine starts no work and sets no timers:
// wanted.ts decides from the stored events what runs.
import { assign, setup } from 'xstate'
import { nestedValue } from '../../src/contract/chart.ts'
import { taskChart } from '../../src/contract/task-chart.ts'
import type { TaskEventType } from '../../src/contract/task-events.ts'
import { guards, movesFrom, openAfter, statusIn, type TaskState } from '../../src/contract/task-state.ts'

/** An event of the log in the form that the machine takes. */
export type TaskMachineEvent = { type: TaskEventType; data?: unknown }
type Context = { open: readonly string[] }

const openWith = ({ context, event }: { context: Context; event: TaskMachineEvent }) =>
  openAfter(context.open, event.type, event.data)

export const taskMachine = setup({
  types: { context: {} as Context, events: {} as TaskMachineEvent },
  guards: { callsOpen: given => guards.callsOpen(openWith(given)) },
  actions: { rememberCalls: assign({ open: openWith }) },
}).createMachine({ ...taskChart, context: { open: [] } })

/** The machine as plain data, the task's state in it, and the events that may move the task from its status. */
export const describeMachine = (state: TaskState) => ({
  machine: taskChart,
  state: statusIn(state),
  value: nestedValue(state.at),
  next_events: movesFrom(statusIn(state)),
})
