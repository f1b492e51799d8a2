// Makes the data of the creation of a subagent's task, and the result that the caller gets when that task ends. Pure.
import type { AskedTurn } from '../../../src/contract/agent.ts'
import type { CallOutcome } from '../../../src/contract/commands/commands.ts'
import type { TaskEventData } from '../../../src/contract/events/task-events.ts'
import type { Ids } from '../../../src/contract/ports.ts'
import { taskStream } from '../../../src/contract/task-stream.ts'
import type { CreateTaskBody, OutputItem } from '../../../src/contract/wire.ts'
import { addUsage } from '../../../src/history/task/account.ts'
import { cutOffNow } from '../../../src/history/task/output.ts'
import type { DecidedTask } from '../../../src/history/task-view.ts'

type Created = TaskEventData<'TaskCreated'>

/** A subagent's task works in the session and folder of its caller, for the same user and with the same secrets. */
export const childOf = (
  parent: Created,
  agentStep: number,
  agent: string,
  request: CreateTaskBody,
  ids: Ids,
  turn?: AskedTurn,
): Created => ({
  task_id: ids.next('task_'),
  session_id: parent.session_id,
  user_id: parent.user_id,
  agent,
  agent_id: ids.next('agent_'),
  workdir: parent.workdir,
  request_id: parent.request_id,
  request,
  input_ids: [turn?.messageId ?? ids.next('msg_')],
  digest: '', // no client sends this request, so none repeats it
  ...(parent.secret_ref === undefined ? {} : { secret_ref: parent.secret_ref }),
  parent_task_id: parent.task_id,
  parent_agent_id: parent.agent_id,
  parent_agent_step: agentStep,
  root_task_id: parent.root_task_id ?? parent.task_id,
  depth: (parent.depth ?? 0) + 1,
  ...(turn === undefined ? {} : { turn: { group_chat_id: parent.task_id, name: turn.name } }),
})

/**
 * The text of a message of the agent. A message that was cut off at the length limit of the model counts, too: its text
 * is the part that came.
 */
const messageOf = (item: OutputItem, { cutOff }: DecidedTask): { itemId: string; text: string }[] => {
  if (item.type !== 'message' || item.role !== 'assistant') return []
  const { id: itemId = '', message_content: content } = item
  if (item.status !== 'completed' && !cutOff.has(itemId)) return []
  if (typeof content === 'string') return [{ itemId, text: content }]
  const texts = content.map(part => (typeof part === 'string' ? part : 'text' in part ? part.text : ''))
  return [{ itemId, text: texts.join('\n') }]
}

/**
 * The outcome of a call of a subagent: the text of its last message, or the reason why its task did not complete. The
 * usage includes the usage of the subagents of this subagent.
 */
export const outcomeOf = (view: DecidedTask): CallOutcome => {
  const { created, status, usage, subagentUsage } = view
  const child = { stream: taskStream(created?.task_id ?? ''), revision: view.revision }
  const total = subagentUsage === undefined ? usage : addUsage(usage, subagentUsage)
  const rest = { child, ...(total === undefined ? {} : { usage: total }) }
  if (status === 'completed') {
    const message = view.output.flatMap(item => messageOf(item, view)).at(-1)
    const cutOff = cutOffNow(view).length > 0 ? 'incomplete' : 'completed'
    return {
      status: cutOff,
      content: message?.text ?? '',
      ...rest,
      ...(message === undefined ? {} : { message }),
    }
  }
  const why = view.error === undefined ? '' : `: ${view.error.message}`
  return {
    status: 'incomplete',
    content: `the subagent's task ${created?.task_id} ended ${status}${why}`,
    failed: `the task ${created?.task_id} ended ${status}${why}`,
    ...rest,
  }
}
