// Finds the response in the background that ended with a change of a task's status.
import type { ResponseEnd, ResponseEndName } from '../../../contract/openai/response-ends.ts'
import { Refusal } from '../../../contract/refusals.ts'
import { ErasedEvent } from '../../../contract/stored.ts'
import { localPause } from '../../../fairness/slices.ts'
import type { TaskDoor } from '../../../http/doors.ts'
import { storedBeats } from '../../follow.ts'
import { type Beat, isOver, taskIn } from '../../turns.ts'
import { responseId } from './ids.ts'
import { factsOf } from './object.ts'

type Tasks = Pick<TaskDoor, 'createdOf' | 'storedFrames' | 'streamOf'>

const nameOf = ({ frame, asked }: Beat): ResponseEndName => {
  if (asked !== undefined) return 'response.completed'
  if (frame.type === 'task.canceled') return 'response.cancelled'
  if (frame.type !== 'task.completed') return 'response.failed'
  return taskIn(frame).metadata?.incomplete_details === undefined
    ? 'response.completed'
    : 'response.incomplete'
}

/**
 * `seq`: the number of the frame that shows the change. Undefined: no response in the background ended with it. Only a task that was
 * made as a response in the background has such responses: a run of a job and a fork have none.
 */
export const findEnded =
  (tasks: Tasks) =>
  async (taskId: string, seq: number): Promise<ResponseEnd | undefined> => {
    try {
      const created = await tasks.createdOf(tasks.streamOf(taskId))
      if (factsOf(created).background !== true || created.forked_from !== undefined) return undefined
      for await (const beat of storedBeats(tasks, taskId, localPause()))
        if (beat.frame.sequence_number === seq)
          return isOver(beat)
            ? { type: nameOf(beat), id: responseId({ taskId, turn: beat.turn }) }
            : undefined
    } catch (error) {
      const isGone =
        error instanceof ErasedEvent || (error instanceof Refusal && error.reason === 'TaskNotFound')
      if (!isGone) throw error
    }
    return undefined
  }
