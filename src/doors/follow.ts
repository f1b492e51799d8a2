// What every door needs of a task: its turns, as they are stored or as they happen, and the request that made it.
import type { FoldPlace } from '../bus/feed.ts'
import type { PendingCallItem } from '../contract/wire.ts'
import type { Pause } from '../fairness/slices.ts'
import type { TaskDoor } from '../http/doors.ts'
import { type Beat, callsForClient, divideIntoTurns, isOver, taskIn } from './turns.ts'

type Tasks = Pick<TaskDoor, 'openFeed' | 'storedFrames' | 'streamOf'>

/** The stored frames of a task in their turns. */
export async function* storedBeats(
  { storedFrames, streamOf }: Pick<Tasks, 'storedFrames' | 'streamOf'>,
  taskId: string,
  pause: Pause,
): AsyncGenerator<Beat> {
  const beatOf = divideIntoTurns()
  for await (const frame of storedFrames(streamOf(taskId), -1, pause)) yield beatOf(frame)
}

/** Where a task stands: the last calls that it has asked its client for in each turn, and whether it waits for them. */
export type Standing = {
  /** For each call that the client was asked for: the turn that its answer begins. */
  turnAfter: Map<string, number>
  /** The calls for which the task waits now. */
  waitsFor: PendingCallItem[]
}

export const standingOf = async (tasks: Tasks, taskId: string, pause: Pause): Promise<Standing> => {
  const turnAfter = new Map<string, number>()
  let waitsFor: PendingCallItem[] = []
  for await (const { frame, turn, asked, isAnswer } of storedBeats(tasks, taskId, pause)) {
    if (isAnswer) {
      waitsFor = waitsFor.filter(({ call_id }) => call_id !== frame.call_id)
      continue
    }
    if (frame.task !== undefined || frame.type === 'task.working')
      waitsFor = frame.type === 'task.input_required' ? callsForClient(taskIn(frame)) : []
    for (const { call_id } of waitsFor) {
      if (asked !== undefined) turnAfter.set(call_id, frame.sequence_number)
      else if (!turnAfter.has(call_id)) turnAfter.set(call_id, turn)
    }
  }
  return { turnAfter, waitsFor }
}

/** The frames of a task in lists, as they come, until the turn is over. The caller must close it. */
export const followTurn = (tasks: Tasks, taskId: string, turn: number, place: FoldPlace) => {
  const feed = tasks.openFeed({ stream: tasks.streamOf(taskId), after: -1, endsAtWait: false, place })
  let over = false
  async function* beats(): AsyncGenerator<Beat[]> {
    const beatOf = divideIntoTurns()
    try {
      for await (const frames of feed.frames()) {
        const list: Beat[] = []
        for (const frame of frames) {
          const beat = beatOf(frame)
          list.push(beat)
          if (beat.turn === turn && isOver(beat)) {
            over = true
            yield list
            return
          }
        }
        yield list
      }
    } finally {
      feed.close()
    }
  }
  return { feed, beats, isOver: () => over }
}
