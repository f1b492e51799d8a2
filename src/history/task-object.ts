// Makes the task object of the interface from a view.
// What an event has once given to a task object, it must give in every later build. Which fields may change is in
// docs/decisions/50-what-a-stored-event-once-gave.md
import type { TaskEventData } from '../contract/events/task-events.ts'
import { groupAgent, type Task } from '../contract/wire.ts'
import { isUnknown, type OpenCall, openCalls } from './task/calls.ts'
import { noTimer } from './task/code.ts'
import { cutOffNow } from './task/output.ts'
import type { FramedTask } from './task-view.ts'

/** The reason that a task shows when it is paused because the outcome of a call is unknown. */
export const outcomeUnknown = 'outcome_unknown'

/** The call whose unknown outcome has paused the task. A person says how it has ended. */
export const unknownCall = (view: Parameters<typeof openCalls>[0]): OpenCall | undefined => {
  const open = openCalls(view)
  // A call that has asked nothing counts even if it can go on: stored events gave it before calls could ask.
  return open.find(each => each.effect.asks === undefined || isUnknown(each)) ?? open[0]
}

/** The reason that a task shows when it is paused because it was forked with `run: false`. */
export const forkedReason = 'forked'

/** Milliseconds as the whole seconds of the interface. */
export const seconds = (millis: number): number => Math.floor(millis / 1000)

type Created = TaskEventData<'TaskCreated'>

const metadataOf = (view: FramedTask, created: Created): Record<string, unknown> => {
  const own: Record<string, unknown> = { agent: created.agent }
  if (created.ignored_fields !== undefined) own.ignored_fields = created.ignored_fields
  if (created.parent_task_id !== undefined) own.parent_task_id = created.parent_task_id
  if (created.forked_from !== undefined) {
    const { task_id, at } = created.forked_from
    own.forked_from = { task_id, at }
  }
  if (created.turn !== undefined) own.group_chat_id = created.turn.group_chat_id
  if (view.agentVersion !== undefined) own.agent_version = view.agentVersion
  if (view.awaitsWorker) own.waiting_for = 'worker'
  if (view.status === 'working' && view.wakesAt !== undefined && view.wakesAt < noTimer) {
    own.sleeping_until = seconds(view.wakesAt)
  }
  if (view.expiresAt !== undefined) own.expires_at = seconds(view.expiresAt)
  if (view.reason !== undefined) own.reason = view.reason
  if (view.reason === outcomeUnknown) {
    const call = unknownCall(view)
    if (call !== undefined) own.effect = { effect_id: call.effect.id, call_id: call.callId, name: call.name }
  }
  if (view.pendingCalls.length > 0) own.pending_inputs = view.pendingCalls
  if (view.pendingTask !== undefined && created.agent !== groupAgent) own.pending_task = view.pendingTask
  if (view.lastCall !== undefined) {
    const { reason, callId, name } = view.lastCall
    own.ended_by = { reason, call_id: callId, name }
  }
  if (view.subagentUsage !== undefined) own.subagent_usage = view.subagentUsage
  if (view.continuedBy !== undefined) own.continued_by = view.continuedBy
  if (view.oddTools.length > 0) own.odd_tools = view.oddTools
  const cutOff = cutOffNow(view)
  const [first] = cutOff
  if (first !== undefined) own.incomplete_details = { reason: view.cutOff.get(first), items: cutOff }
  if (view.oddEnd !== undefined) own.finish_reason = view.oddEnd
  return { ...created.request.metadata, ...own }
}

/** The task object of a view. Its keys have the same order everywhere, with `output` last. */
export const taskOf = (view: FramedTask): Task => {
  const { created, status } = view
  if (created === undefined || status === 'absent') throw new Error('there is no task yet')
  const task: Partial<Task> = {
    object: 'task',
    id: created.task_id,
    session_id: created.session_id,
    user_id: created.user_id,
    status,
    created_at: seconds(view.createdAt),
  }
  if (view.usage !== undefined) task.usage = view.usage
  if (view.error !== undefined) task.error = view.error
  const oldest = view.pendingCalls[0]
  if (oldest !== undefined) task.input_required = oldest
  task.metadata = metadataOf(view, created)
  if (created.previous_task_id !== undefined) task.previous_task_id = created.previous_task_id
  task.output = view.output.slice()
  return task as Task
}
