// Renders the frames of one task, from its first event or from a saved fold. Frames come from the task's own stream.
// Only rollouts need other streams: the earlier tasks of the chat session and, in the last frame, the subagents.
import { taskEvents } from '../contract/decoders/task.ts'
import type { Recorded } from '../contract/stored.ts'
import { taskStream } from '../contract/task-stream.ts'
import { isTerminal, type OutputItem, type Task } from '../contract/wire.ts'
import { type CodeCall, isCodeCall } from './code-call.ts'
import type { ReadStream } from './context.ts'
import { firstSeen, type Seen } from './context.ts'
import { type Frame, framesOf, renderFrames as renderFramed } from './frames.ts'
import { type Rollout, rolloutOf, rolloutOfCall, type StepEnd } from './rollout.ts'
import { rolloutsOf } from './rollouts.ts'
import { type BegunFold, settle } from './saved-fold.ts'
import { emptyTask, evolve, type FramedTask } from './task-view.ts'
import { toolListReader } from './tool-lists.ts'

/** Renders frames with the whole view of a task, which rollouts need. */
const renderWhole = framesOf(evolve)

const lateRollouts = new WeakMap<Frame, () => AsyncGenerator<Rollout>>()
/**
 * The rollouts that the task in a frame shows; undefined when it shows none. A writer adds them as the last field of
 * the task, which is the last field of the frame. All rollouts together may be longer than the log, so each is made
 * when the writer takes it.
 */
export const rolloutsIn = (frame: Frame): (() => AsyncGenerator<Rollout>) | undefined =>
  lateRollouts.get(frame)

export type FrameRenderer = {
  view: FramedTask
  /**
   * Returns the frames of the next event; a promise only when it must read more than the event. Throws DamagedEvent.
   */
  render(event: Recorded): Frame[] | Promise<Frame[]>
}

/** Adds the tools of a list to the frames that announce them. */
const withTools = (toolsOf: ReturnType<typeof toolListReader>) => async (frames: Frame[], stream: string) => {
  const tools = await toolsOf(stream)
  return frames.map(frame => ({ ...frame, tools }))
}

/**
 * Renders a task from the event after a saved fold. It cannot render tasks that show rollouts. `items` returns the
 * first items of the output; the renderer calls it when a frame holds the task for the first time.
 */
export const createLateRenderer = (
  read: ReadStream,
  { view, settled }: BegunFold,
  items: (settled: number) => Promise<OutputItem[]>,
): FrameRenderer => {
  const withToolsOf = withTools(toolListReader(read))
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
    render(stored) {
      const event = taskEvents.read(stored)
      const frames = renderFramed(view, event)
      if (event.type === 'ToolsOffered' && frames.length > 0) return withToolsOf(frames, event.data.stream)
      return !isWhole && frames.some(frame => frame.task !== undefined) ? withOutput(frames) : frames
    },
  }
}

/** Renders a task from its first event. */
export const createRenderer = (read: ReadStream): FrameRenderer => {
  const view = emptyTask()
  const toolsOf = toolListReader(read)
  const withToolsOf = withTools(toolsOf)
  let first: Promise<Seen> | undefined

  const renderStep = async (event: StepEnd): Promise<Frame[]> => {
    first ??= firstSeen(read, view)
    return withRollout(event, rolloutOf(view, event, await first, await toolsOf(view.toolList)))
  }
  const renderCall = async (event: CodeCall): Promise<Frame[]> =>
    withRollout(event, rolloutOfCall(view, event, await toolsOf(event.data.model?.tools)))
  const withRollout = (event: StepEnd | CodeCall, rollout: Rollout): Frame[] =>
    renderWhole(view, event).map(frame => (frame.type === rollout.type ? { ...rollout, ...frame } : frame))
  const withRollouts = (frames: Frame[]): Frame[] => {
    const stream = taskStream(view.created?.task_id ?? '')
    const upTo = view.revision
    for (const frame of frames) lateRollouts.set(frame, () => rolloutsOf(read, stream, { upTo }))
    return frames
  }

  return {
    view,
    render(stored) {
      const event = taskEvents.read(stored)
      const asked = view.created?.request.return_rollout
      if (asked && event.type === 'AgentStepCompleted') return renderStep(event)
      if (asked && isCodeCall(event)) return renderCall(event)
      const frames = renderWhole(view, event)
      if (event.type === 'ToolsOffered' && frames.length > 0) return withToolsOf(frames, event.data.stream)
      const ends = asked && isTerminal(view.status) && frames.some(frame => frame.task !== undefined)
      return ends ? withRollouts(frames) : frames
    },
  }
}
