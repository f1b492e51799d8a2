// Makes the task of a subagent, which is stored in the append of its caller's call. Pure.
import type { TaskEventData } from '../../../src/contract/events/task-events.ts'
import { taskStream } from '../../../src/contract/task-stream.ts'
import type { DecidedTask } from '../../../src/history/task-view.ts'
import { heardInChat } from '../step/turn-begins.ts'
import { type At, firstEvents, type Made } from './events.ts'

/** A subagent's task starts at once: it takes no place in the scheduler. */
export const makeChild = (asked: TaskEventData<'TaskCreated'>, view: DecidedTask, at: At): Made => {
  // A turn of code is no step of a model, so no rollout stands for it.
  const { parent_agent_step, ...ofCode } = asked
  const created = view.agentVersion === undefined ? asked : ofCode
  const own = { stream: taskStream(created.task_id), items: created.input_ids }
  const heard = created.turn === undefined ? { context: [] } : heardInChat(view)
  const seen = { ...heard, context: [...heard.context, own] }
  return { created, events: firstEvents(created, true, seen, at) }
}
