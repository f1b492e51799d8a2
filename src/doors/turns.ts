// Divides the frames of a task into turns. In a turn the agent works; it ends when the task ends, or waits for its client.
// Protocols that know one answer to each request show a turn as such an answer. A task that is paused, or waits for an
// approval, is in the middle of a turn: somebody else lets it go on. A turn that the client has not begun yet does not end with
// a further wait: approvals let a task go on, and wait again for the calls that the client knows already.
import type { FrameType } from '../contract/frames.ts'
import { isTerminal, type PendingCallItem, type Task, type ToolResultItem } from '../contract/wire.ts'
import type { Frame } from '../history/frames.ts'
import { firstTurn } from './ids.ts'

/**
 * A frame in its turn. `asked`: the calls for which the task now waits for its client, so that the turn is over.
 * `isAnswer`: the frame shows what the client has answered, before the turn. `isLastAnswer`: no answer is missing any more.
 */
export type Beat = {
  turn: number
  frame: Frame
  asked?: PendingCallItem[]
  isAnswer?: true
  isLastAnswer?: true
}

/** The calls in a task that its client must run. The others wait for an approval. */
export const callsForClient = ({ metadata }: Pick<Task, 'metadata'>): PendingCallItem[] =>
  ((metadata?.pending_inputs ?? []) as PendingCallItem[]).filter(call => call.metadata?.approval !== true)

/** The task in a frame that has one. */
export const taskIn = (frame: Frame): Task => frame.task as Task

const ofResult: readonly FrameType[] = [
  'task.output_item.added',
  'task.output_item.done',
  'task.tool_result.delta',
  'task.tool_result.done',
]
const callOf = ({ type, item, call_id }: Frame): unknown => {
  if (!ofResult.includes(type)) return undefined
  if (item === undefined) return call_id
  const { type: kind, call_id: of } = item as ToolResultItem
  return kind === 'tool_result' ? of : undefined
}

/** Returns a function that takes the frames of a task one after the other, from the first one on. */
export const divideIntoTurns = () => {
  let turn = firstTurn
  const asked = new Set<unknown>()
  let open = new Set<unknown>()
  /** Whether the client has begun the turn: the first one with its request, another one with an answer. */
  let isBegun = true
  return (frame: Frame): Beat => {
    const beat = { turn, frame }
    const answered = callOf(frame)
    if (asked.has(answered)) {
      isBegun = true
      const isLast = frame.type === 'task.output_item.done' && open.delete(answered) && open.size === 0
      return { ...beat, isAnswer: true, ...(isLast ? { isLastAnswer: true } : {}) }
    }
    if (frame.type !== 'task.input_required') return beat
    const calls = callsForClient(taskIn(frame))
    if (calls.length === 0) return beat
    for (const { call_id } of calls) asked.add(call_id)
    // A question of a tool server or of a subagent is no call in the output of the task, so no item shows its answer.
    const stillOpen = new Set<unknown>(calls.map(({ call_id }) => call_id))
    if ([...open].some(id => !stillOpen.has(id))) isBegun = true
    if (!isBegun) return beat
    isBegun = false
    turn = frame.sequence_number
    open = stillOpen
    return { ...beat, asked: calls }
  }
}

/** Whether a turn is over with this frame. */
export const isOver = ({ frame, asked }: Beat): boolean =>
  asked !== undefined || (frame.task !== undefined && isTerminal(taskIn(frame).status))

/** Whether a turn has begun: the first one always, another one when the task has gone on after its wait. */
export const hasBegun = (turn: number, beat: Beat): boolean =>
  beat.turn === turn && (turn === firstTurn || beat.isAnswer !== true)
