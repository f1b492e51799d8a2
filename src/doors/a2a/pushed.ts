// What a push notification says: the event of a stream that a change of a task's status gives.
import { Refusal } from '../../contract/refusals.ts'
import { ErasedEvent } from '../../contract/stored.ts'
import { localPause } from '../../fairness/slices.ts'
import type { TaskDoor } from '../../http/doors.ts'
import { createTaskTeller } from './teller.ts'

type Tasks = Pick<TaskDoor, 'createdOf' | 'storedFrames' | 'streamOf'>

const isGone = (error: unknown): boolean =>
  error instanceof ErasedEvent || (error instanceof Refusal && error.reason === 'TaskNotFound')

/** `seq`: the number of the frame that shows the change. Undefined: a stream tells nothing of it. */
export const tellStatus =
  (tasks: Tasks) =>
  async (taskId: string, seq: number): Promise<object | undefined> => {
    try {
      const stream = tasks.streamOf(taskId)
      const teller = createTaskTeller(await tasks.createdOf(stream))
      for await (const frame of tasks.storedFrames(stream, -1, localPause())) {
        const [told] = teller.tell(frame)
        if (frame.sequence_number === seq) return told
      }
    } catch (error) {
      if (!isGone(error)) throw error
    }
    return undefined
  }
