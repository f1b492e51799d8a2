// What every door needs of a task: its turns, as they are stored or as they happen, and the request that made it.
import type { Feed, FoldPlace } from '../bus/feed.ts'
import type { PendingCallItem } from '../contract/wire.ts'
import type { Pause } from '../fairness/slices.ts'
import type { Frame } from '../history/frames.ts'
import type { TaskDoor } from '../http/doors.ts'
import type { TurnId } from './ids.ts'
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
  /** All calls that the client was asked for, by their ids. */
  asked: Map<string, PendingCallItem>
  /** The calls for which the task waits now. */
  waitsFor: PendingCallItem[]
}

export const standingOf = async (tasks: Tasks, taskId: string, pause: Pause): Promise<Standing> => {
  const turnAfter = new Map<string, number>()
  const askedFor = new Map<string, PendingCallItem>()
  let waitsFor: PendingCallItem[] = []
  for await (const { frame, turn, asked, isAnswer } of storedBeats(tasks, taskId, pause)) {
    if (isAnswer) {
      waitsFor = waitsFor.filter(({ call_id }) => call_id !== frame.call_id)
      continue
    }
    if (frame.task !== undefined || frame.type === 'task.working')
      waitsFor = frame.type === 'task.input_required' ? callsForClient(taskIn(frame)) : []
    for (const call of waitsFor) {
      const { call_id } = call
      askedFor.set(call_id, call)
      if (asked !== undefined) turnAfter.set(call_id, frame.sequence_number)
      else if (!turnAfter.has(call_id)) turnAfter.set(call_id, turn)
    }
  }
  return { turnAfter, asked: askedFor, waitsFor }
}

/** A task that is followed. `lists`: what its frames tell, in lists, as they come. The caller must close the feed. */
export type Followed<Told> = {
  feed: Pick<ReturnType<Tasks['openFeed']>, 'close' | 'whenErased'>
  lists: () => AsyncGenerator<Told[]>
  /** Whether the last frame that was wanted has come. */
  isOver: () => boolean
}

/** Which frames are followed: those after the number `after`, up to the one of which `isLast` is true. */
type Wanted<Told> = { after: number; tell: (frame: Frame) => Told; isLast: (told: Told) => boolean }

/** What the frames tell, in lists. Calls `end` when the last wanted frame has come. */
async function* toldFrames<Told>(
  feed: Feed,
  { tell, isLast }: Pick<Wanted<Told>, 'tell' | 'isLast'>,
  end: () => void,
): AsyncGenerator<Told[]> {
  try {
    for await (const frames of feed.frames()) {
      const list: Told[] = []
      for (const frame of frames) {
        const told = tell(frame)
        list.push(told)
        if (!isLast(told)) continue
        end()
        yield list
        return
      }
      yield list
    }
  } finally {
    feed.close()
  }
}

export const followTask = <Told>(
  tasks: Tasks,
  taskId: string,
  { after, ...wanted }: Wanted<Told>,
  place: FoldPlace,
): Followed<Told> => {
  const feed = tasks.openFeed({ stream: tasks.streamOf(taskId), after, endsAtWait: false, place })
  let over = false
  const end = () => {
    over = true
  }
  return { feed, lists: () => toldFrames(feed, wanted, end), isOver: () => over }
}

/** The beats of a task until the turn is over. */
export const followTurn =
  (tasks: Tasks, { taskId, turn }: TurnId) =>
  (place: FoldPlace): Followed<Beat> => {
    const isLast = (beat: Beat) => beat.turn === turn && isOver(beat)
    return followTask(tasks, taskId, { after: -1, tell: divideIntoTurns(), isLast }, place)
  }
