// One task told frame by frame, from its first event on. All but rollouts comes from the task's own stream; a
// rollout also says what the task saw of its session, and at the end what its subagents did.
import type { Recorded } from '../contract/stored.ts'
import { isTerminal } from '../contract/wire.ts'
import type { ReadStream } from './context.ts'
import { firstSeen } from './context.ts'
import { type Frame, tell } from './frames.ts'
import { byPosition, childRollouts, isStepEnd, type Rollout, rewarded, rolloutOf } from './rollouts.ts'
import { emptyTask, type TaskView } from './task-view.ts'

export type Teller = {
  view: TaskView
  /** The frames of the next event; a promise only when they hold rollouts. Throws DamagedEvent. */
  tell(event: Recorded): Frame[] | Promise<Frame[]>
}

export const createTeller = (read: ReadStream): Teller => {
  const view = emptyTask()
  const rollouts: Rollout[] = []
  let first: Promise<Rollout['input_messages']> | undefined

  /** The frames with their rollouts: of the step that ended, or of the whole task that ended. */
  const withRollouts = async (event: Recorded, frames: Frame[]): Promise<Frame[]> => {
    if (isStepEnd(event)) {
      first ??= firstSeen(read, view)
      const rollout = rolloutOf(view, event, await first)
      rollouts.push(rollout)
      return frames.map(frame => ({ ...rollout, ...frame }))
    }
    const children = view.created?.request.include_subagent_rollout ? await childRollouts(read, view) : []
    const all = [...rewarded(rollouts, view), ...children].sort(byPosition)
    return frames.map(frame => ({ ...frame, task: { ...(frame.task as object), rollouts: all } }))
  }

  return {
    view,
    tell(event) {
      const frames = tell(view, event)
      if (frames.length === 0 || !view.created?.request.return_rollout) return frames
      const ends = isTerminal(view.status) && frames.some(frame => frame.task !== undefined)
      return ends || isStepEnd(event) ? withRollouts(event, frames) : frames
    },
  }
}
