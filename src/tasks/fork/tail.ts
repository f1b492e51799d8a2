// What a fork adds to the copied past, still under the old ids: a message, the start of a task that waited, or a pause.

import { postMessage } from '../../../actors/task/decide/decide-inputs.ts'
import { type At, abandoned, pausedFor, started, ttlSeconds } from '../../../actors/task/decide/events.ts'
import { judge } from '../../../actors/task/decide/judge.ts'
import { stateAfter, statusIn, type TaskState } from '../../contract/charts/task-state.ts'
import type { Asked, StartContext } from '../../contract/commands/commands.ts'
import type { TaskEvent } from '../../contract/events/task-events.ts'
import { Invalid } from '../../contract/refusals.ts'
import { isTerminal, type MessageContent, type TaskStatus } from '../../contract/wire.ts'
import { isAsking, isResting, openCalls } from '../../history/task/calls.ts'
import { forkedReason } from '../../history/task-object.ts'
import type { DecidedTask } from '../../history/task-view.ts'

type Wish = {
  /** The agent of the fork, which may be another one than that of the task. */
  agent: string
  asked: Asked
  message: { itemId: string; content: MessageContent } | undefined
  /** Whether the fork continues at once. */
  run: boolean
  /** The context of a fork that starts now; undefined: the fork does not start now, or has started in its past. */
  start: StartContext | undefined
}

const isBeforeStart = ({ status }: DecidedTask) => status === 'created' || status === 'queued'

/** The message of the caller. Throws Invalid when the past contains the end of the task. */
const said = (view: DecidedTask, { message, asked }: Wish, at: At): TaskEvent[] => {
  if (message === undefined) return []
  if (isTerminal(view.status as TaskStatus)) {
    const msg =
      'The task has ended at this frame. Fork it without a message, then create a task in the session of the fork'
    throw new Invalid([{ loc: ['body', 'user_message_content'], msg, type: 'value_error' }])
  }
  const decided = postMessage(
    view,
    { type: 'PostMessage', ...message, isRetry: false, keys: {}, ...asked },
    at,
  )
  return Array.isArray(decided) ? decided : decided.events
}

/** The events after the past, and the state to which all events lead. */
export const tailOf = (view: DecidedTask, wish: Wish, at: At): { events: TaskEvent[]; state: TaskState } => {
  const { ttls } = at
  const events = said(view, wish, at)
  if (isBeforeStart(view) && wish.start !== undefined && view.created !== undefined) {
    const created = { ...view.created, agent: wish.agent }
    events.push(...started(view.status as TaskStatus, created, wish.start, at))
  }
  // The fork starts the turn of a group chat again, so the chat does not wait for its client yet.
  // A call that asks over a connection of the task runs again, too.
  const again = openCalls(view).filter(call => !isResting(call))
  for (const { effect, callId } of again.filter(isAsking))
    events.push({ type: 'EffectPromised', data: { effect_id: effect.id, call_id: callId } })
  if (view.status === 'input-required' && again.length > 0) {
    events.push({ type: 'InputAnswered', data: { from: view.status, ...ttlSeconds(ttls.working) } })
  }
  const reached = () => events.reduce((at, { type, data }) => stateAfter(at, type, data), view.state)
  if (!wish.run && statusIn(reached()) === 'working') {
    events.push(...abandoned(view), pausedFor(forkedReason, at))
  }
  judge(view.state, events)
  return { events, state: reached() }
}
