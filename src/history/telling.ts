// One task told frame by frame, from its first event or from a fold that was saved. All but rollouts comes from the task's
// own stream; a rollout also says what the task saw of its session, and at the end what its subagents did.
import { taskEvents } from '../contract/decoders/task.ts'
import type { Recorded } from '../contract/stored.ts'
import { taskStream } from '../contract/task-stream.ts'
import { isTerminal, type OutputItem, type Task } from '../contract/wire.ts'
import type { ReadStream } from './context.ts'
import { firstSeen } from './context.ts'
import { type Frame, framesOf, tell as tellFramed } from './frames.ts'
import { type Rollout, rolloutOf, type StepEnd } from './rollout.ts'
import { rolloutsOf } from './rollouts.ts'
import { type BegunFold, settle } from './saved-fold.ts'
import { emptyTask, evolve, type FramedTask } from './task-view.ts'
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
  view: FramedTask
  /** The frames of the next event; a promise only when they hold rollouts. Throws DamagedEvent. */
  tell(event: Recorded): Frame[] | Promise<Frame[]>
}

/** The tools of a list in the place where a frame announces them. */
const withTools = (toolsOf: ReturnType<typeof toolListReader>) => async (frames: Frame[], stream: string) => {
  const tools = await toolsOf(stream)
  return frames.map(frame => ({ ...frame, tools }))
}

/**
 * A task told from the middle, after a fold that was saved; not one that shows rollouts. `items` gives the first items of its
 * output, which are asked for when a frame first holds the task.
 */
export const createLateTeller = (
  read: ReadStream,
  { view, settled }: BegunFold,
  items: (settled: number) => Promise<OutputItem[]>,
): Teller => {
  const told = withTools(toolListReader(read))
  let isWhole = settled === 0
  const withOutput = async (frames: Frame[]): Promise<Frame[]> => {
    const found = await items(settled)
    for (const { task } of frames) if (task !== undefined) settle((task as Task).output, found)
    settle(view.output, found)
    isWhole = true
    return frames
  }
  return {
    view,
    tell(stored) {
      const event = taskEvents.read(stored)
      const frames = tellFramed(view, event)
      if (event.type === 'ToolsOffered' && frames.length > 0) return told(frames, event.data.stream)
      return !isWhole && frames.some(frame => frame.task !== undefined) ? withOutput(frames) : frames
    },
  }
}

/** A task told from its first event. */
export const createTeller = (read: ReadStream): Teller => {
  const view = emptyTask()
  const toolsOf = toolListReader(read)
  const told = withTools(toolsOf)
  let first: Promise<OutputItem[]> | undefined

  const tellStep = async (event: StepEnd): Promise<Frame[]> => {
    first ??= firstSeen(read, view)
    const rollout = rolloutOf(view, event, await first, await toolsOf(view.toolList))
    return tell(view, event).map(frame => (frame.type === rollout.type ? { ...rollout, ...frame } : frame))
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
      if (event.type === 'ToolsOffered' && frames.length > 0) return told(frames, event.data.stream)
      const ends = asked && isTerminal(view.status) && frames.some(frame => frame.task !== undefined)
      return ends ? withRollouts(frames) : frames
    },
  }
}
