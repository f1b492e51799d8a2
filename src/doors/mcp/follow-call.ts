// Follows a turn of a task for the call that waits for its end.
import { Refusal } from '../../contract/refusals.ts'
import { answersOf } from '../../http/request/request.ts'
import { followTurn } from '../follow.ts'
import type { TurnId } from '../ids.ts'
import { type Beat, isOver } from '../turns.ts'
import type { Exchange } from './exchange.ts'
import { progressOf } from './progress.ts'

/** The last beat of the turn; undefined: it has not come by `until`, in Unix milliseconds. */
export const followCall = async (
  { deps: { tasks, serving }, request, reply, tell }: Exchange,
  { taskId, turn }: TurnId,
  until: number,
): Promise<Beat | undefined> => {
  const place = answersOf(serving, request, reply).place()
  const { feed, lists } = followTurn(tasks, { taskId, turn })(place)
  let isLate = false
  const beLate = () => {
    isLate = true
    feed.close()
  }
  const timer = Number.isFinite(until) ? setTimeout(beLate, Math.max(0, until - Date.now())) : undefined
  reply.raw.once('close', feed.close)
  try {
    if (reply.raw.destroyed) feed.close()
    for await (const list of lists()) {
      for (const beat of list) {
        if (beat.turn !== turn) continue
        const message = progressOf(beat.frame)
        if (message !== undefined) tell(beat.frame.sequence_number, message)
        if (isOver(beat)) return beat
      }
      place.release()
    }
  } finally {
    clearTimeout(timer)
    reply.raw.off('close', feed.close)
    place.release()
  }
  if (isLate) return undefined
  throw new Refusal('TaskNotFound') // the task was erased, or nobody waits for the answer
}
