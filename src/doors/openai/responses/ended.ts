// Finds the response in the background that ended with a change of a task's status.
import type { ResponseEnd, ResponseEndName } from '../../../contract/openai/response-ends.ts'
import { Refusal } from '../../../contract/refusals.ts'
import { ErasedEvent } from '../../../contract/stored.ts'
import { localPause } from '../../../fairness/slices.ts'
import type { TaskDoor } from '../../../http/doors.ts'
import { storedBeats } from '../../follow.ts'
import { type Beat, isOver, taskIn } from '../../turns.ts'
import { responseId } from './ids.ts'

type Tasks = Pick<TaskDoor, 'createdOf' | 'storedFrames' | 'streamOf'>

const nameOf = ({ frame, asked }: Beat): ResponseEndName => {
  if (asked !== undefined) return 'response.completed'
  if (frame.type === 'task.canceled') return 'response.cancelled'
  if (frame.type !== 'task.completed') return 'response.failed'
  return taskIn(frame).metadata?.incomplete_details === undefined
    ? 'response.completed'
    : 'response.incomplete'
}

/** `at`: when the status changed, in ISO 8601. Undefined: no response in the background ended then. */
export const findEnded =
  (tasks: Tasks) =>
  async (taskId: string, at: string): Promise<ResponseEnd | undefined> => {
    try {
      const { request } = await tasks.createdOf(tasks.streamOf(taskId))
      if (request.background !== true) return undefined
      for await (const beat of storedBeats(tasks, taskId, localPause()))
        if (isOver(beat) && beat.frame.timestamp === at)
          return { type: nameOf(beat), id: responseId({ taskId, turn: beat.turn }) }
    } catch (error) {
      const isGone =
        error instanceof ErasedEvent || (error instanceof Refusal && error.reason === 'TaskNotFound')
      if (!isGone) throw error
    }
    return undefined
  }
