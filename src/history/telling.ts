// One task told frame by frame, from its first event on. All but rollouts comes from the task's own stream; a
// rollout also says what the task saw of its session, and at the end what its subagents did.
import { taskEvents } from '../contract/decoders/task.ts'
import type { Recorded } from '../contract/stored.ts'
import { taskStream } from '../contract/task-stream.ts'
import { isTerminal, type OutputItem } from '../contract/wire.ts'
import type { ReadStream } from './context.ts'
import { firstSeen } from './context.ts'
import { type Frame, framesOf } from './frames.ts'
import { type Rollout, rolloutOf, type StepEnd } from './rollout.ts'
import { rolloutsOf } from './rollouts.ts'
import { emptyTask, evolve, type TaskView } from './task-view.ts'
import { toolListReader } from './tool-lists.ts'

/** A teller may be asked for rollouts, which are read from the whole view. */
const tell = framesOf(evolve)

const lateRollouts = new WeakMap<Frame, () => AsyncGenerator<Rollout>>()
/**
 * The rollouts of the task that a frame holds, to be told as the last field of the task; the task is the last field of
 * the frame. They may be longer than all that is stored, so each is made when it is taken. Undefined: it shows none.
 */
export const rolloutsIn = (frame: Frame): (() => AsyncGenerator<Rollout>) | undefined =>
  lateRollouts.get(frame)

export type Teller = {
  view: TaskView
  /** The frames of the next event; a promise only when they hold rollouts. Throws DamagedEvent. */
  tell(event: Recorded): Frame[] | Promise<Frame[]>
}

export const createTeller = (read: ReadStream): Teller => {
  const view = emptyTask()
  const toolsOf = toolListReader(read)
  let first: Promise<OutputItem[]> | undefined

  const tellStep = async (event: StepEnd): Promise<Frame[]> => {
    first ??= firstSeen(read, view)
    const rollout = rolloutOf(view, event, await first, await toolsOf(view.toolList))
    return tell(view, event).map(frame => (frame.type === rollout.type ? { ...rollout, ...frame } : frame))
  }
  const withTools = async (frames: Frame[], stream: string): Promise<Frame[]> => {
    const tools = await toolsOf(stream)
    return frames.map(frame => ({ ...frame, tools }))
  }
  const withRollouts = (frames: Frame[]): Frame[] => {
    const stream = taskStream(view.created?.task_id ?? '')
    const upTo = view.revision
    for (const frame of frames) lateRollouts.set(frame, () => rolloutsOf(read, stream, { upTo }))
    return frames
  }

  return {
    view,
    tell(stored) {
      const event = taskEvents.read(stored)
      const asked = view.created?.request.return_rollout
      if (asked && event.type === 'AgentStepCompleted') return tellStep(event)
      const frames = tell(view, event)
      const [frame] = frames
      if (frame?.type === 'task.tools_updated') return withTools(frames, view.toolList ?? '')
      const ends = asked && isTerminal(view.status) && frames.some(frame => frame.task !== undefined)
      return ends ? withRollouts(frames) : frames
    },
  }
}
