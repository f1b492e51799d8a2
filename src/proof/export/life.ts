// Checks that a task's events are its whole life: only the first creates the task, and few types may follow its end.
// A verifier in an export has no statechart, so the names of these events are written here. A test compares them with
// the chart.
import { isTaskStream } from '../../contract/task-stream.ts'

const creation = 'TaskCreated'
export const ends: readonly string[] = ['TaskCompleted', 'TaskFailed', 'TaskCanceled', 'TaskExpired']
/** The types of events that may follow the end of a task. */
export const afterEnd: readonly string[] = ['TaskDeleted', 'RewardGiven']

export type Life = {
  /** Takes the type of the next event. Returns why this type cannot come next; undefined: it can. */
  add(type: string): string | undefined
  /** The type of the event with which the task ended. */
  end(): string | undefined
}

/** Makes the check for the events of one stream. Only the stream of a task has rules. */
export const createLife = (stream: string): Life => {
  const isTask = isTaskStream(stream)
  let count = 0
  let end: string | undefined
  return {
    add(type) {
      if (!isTask) return undefined
      if ((count++ === 0) !== (type === creation))
        return `is ${type}, and only the first event is ${creation}`
      if (end !== undefined && !afterEnd.includes(type))
        return `is ${type}, and the task had ended with ${end}`
      if (ends.includes(type)) end = type
      return undefined
    },
    end: () => end,
  }
}
