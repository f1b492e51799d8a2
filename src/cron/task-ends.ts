// Reads from the events of a run's task how the task ended.
import type { RunEnd } from '../contract/commands/cron-commands.ts'
import { taskEvents } from '../contract/decoders/task.ts'
import type { Log, Recorded } from '../contract/stored.ts'
import { taskStream } from '../contract/task-stream.ts'

/** The end of a task that an event stores; undefined when the event ends no task. */
export const endOf = (stored: Recorded): RunEnd | undefined => {
  const event = taskEvents.find(stored)
  if (event === undefined) return undefined
  const endedAt = Date.parse(stored.header.time)
  switch (event.type) {
    case 'TaskCompleted':
      return { status: 'completed', endedAt }
    case 'TaskFailed':
      return { status: 'failed', error: event.data.error.message, endedAt }
    case 'TaskCanceled':
      return { status: 'canceled', error: event.data.reason ?? 'the task was canceled', endedAt }
    case 'TaskExpired':
      return { status: 'expired', error: 'the time of the task ran out', endedAt }
    default:
      return undefined
  }
}

/** The stored end of a task; undefined when it has not ended. */
export const storedEnd = async (log: Log, taskId: string): Promise<RunEnd | undefined> => {
  for await (const page of log.readStream(taskStream(taskId))) {
    for (const event of page) {
      const end = endOf(event)
      if (end !== undefined) return end
    }
  }
  return undefined
}
