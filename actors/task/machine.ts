// The chart of a task (src/contract/task-chart.ts) as an XState machine. It invokes nothing and waits for nothing: what
// runs is decided from the stored events alone (wanted.ts).
import { assign, setup } from 'xstate'
import { taskChart } from '../../src/contract/task-chart.ts'
import type { TaskEventType } from '../../src/contract/task-events.ts'
import { guards, movesFrom, openAfter } from '../../src/contract/task-state.ts'
import type { TaskStatus } from '../../src/contract/wire.ts'

/** An event of the log as the machine takes it. */
export type TaskMachineEvent = { type: TaskEventType; data?: unknown }
type Context = { open: readonly string[] }

const openWith = ({ context, event }: { context: Context; event: TaskMachineEvent }) =>
  openAfter(context.open, event.type, event.data)

export const taskMachine = setup({
  types: { context: {} as Context, events: {} as TaskMachineEvent },
  guards: { callsOpen: given => guards.callsOpen(openWith(given)) },
  actions: { rememberCalls: assign({ open: openWith }) },
}).createMachine({ ...taskChart, context: { open: [] } })

/** The machine as plain data, the status that a task is in, and the events that may move it from there. */
export const describeMachine = (state: TaskStatus) => ({
  machine: taskChart,
  state,
  next_events: movesFrom(state),
})
