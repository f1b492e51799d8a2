// The chart of an actor as plain data, with its state in it and the events that may follow: what callers see of it.
import type { StoredMachine } from '../events/task-events.ts'
import { nestedValue } from './chart.ts'
import { type CronState, cronChart, cronMovesFrom } from './cron-chart.ts'
import { type SessionState, sessionChart, sessionMovesFrom } from './env-session-chart.ts'
import { taskChart } from './task-chart.ts'
import { movesFrom, statusIn, type TaskState } from './task-state.ts'

/** `next_events`: the events that may move the task out of its status. */
export const machineOfTask = (state: TaskState) => ({
  machine: taskChart,
  state: statusIn(state),
  value: nestedValue(state.at),
  next_events: movesFrom(statusIn(state)),
})

/** The place of a task in its chart. `machine`: the statechart of its agent, if its agent is one. */
export type PlacedTask = { state: TaskState; agent: string; machine: StoredMachine | undefined }

/** The chart of the agent, with that of the task beside it. A host need not tell its chart, which then has only an id. */
export const machineOf = ({ state, agent, machine }: PlacedTask) => {
  const task = machineOfTask(state)
  if (machine === undefined) return task
  const { chart = { id: agent }, value, context, next_events } = machine
  return { machine: chart, state: statusIn(state), value, context, next_events, task }
}

export const machineOfSession = (state: SessionState) => ({
  machine: sessionChart,
  state,
  value: state,
  next_events: sessionMovesFrom(state),
})

export const machineOfCronJob = (state: CronState) => ({
  machine: cronChart,
  state,
  value: state,
  next_events: cronMovesFrom(state),
})
