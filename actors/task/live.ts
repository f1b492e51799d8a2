// The XState actor that follows the events of a task.
import { taskChart } from '../../src/contract/task-chart.ts'
import { firstState, stateAfter, type TaskState } from '../../src/contract/task-state.ts'
import { liveKind } from '../runtime/live.ts'

export const liveTask = liveKind<TaskState>({
  chart: taskChart,
  first: firstState,
  after: stateAfter,
})
