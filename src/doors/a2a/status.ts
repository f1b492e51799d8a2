// The status of a task, in the words of A2A.
import type { A2AMessage, A2APart, A2AStatus, A2ATaskState } from '../../contract/a2a/objects.ts'
import type { PendingCallItem, Task, TaskStatus } from '../../contract/wire.ts'

const states: Record<TaskStatus, A2ATaskState> = {
  created: 'TASK_STATE_SUBMITTED',
  queued: 'TASK_STATE_SUBMITTED',
  working: 'TASK_STATE_WORKING',
  paused: 'TASK_STATE_WORKING',
  'input-required': 'TASK_STATE_INPUT_REQUIRED',
  completed: 'TASK_STATE_COMPLETED',
  canceled: 'TASK_STATE_CANCELED',
  failed: 'TASK_STATE_FAILED',
  expired: 'TASK_STATE_FAILED',
}

/** The statuses of tasks that A2A shows with this state. */
export const statusesOf = (state: A2ATaskState): TaskStatus[] =>
  (Object.keys(states) as TaskStatus[]).filter(status => states[status] === state)

/** All calls for which a task waits: for its client, or for an approval. */
export const askedIn = ({ status, metadata }: Pick<Task, 'status' | 'metadata'>): PendingCallItem[] =>
  status === 'input-required' ? ((metadata?.pending_inputs ?? []) as PendingCallItem[]) : []

/** Whether a tool server asks. Such a question and its answer are no items of the task. */
export const isQuestion = ({ metadata }: PendingCallItem): boolean => metadata?.asked_by !== undefined

const argumentsOf = ({ arguments: text }: PendingCallItem): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** A question for people, and the same for programs. */
export const questionOf = (call: PendingCallItem): A2APart[] => {
  const { call_id, name, metadata } = call
  const args = argumentsOf(call)
  const isApproval = metadata?.approval === true
  const { question } = (typeof args === 'object' && args !== null ? args : {}) as { question?: unknown }
  const words = typeof question === 'string' ? question : `${name} ${JSON.stringify(args)}`
  const { asked_by, schema } = metadata ?? {}
  const data = {
    call_id,
    name,
    arguments: args,
    ...(isApproval ? { approval: true } : {}),
    ...(asked_by === undefined ? {} : { asked_by }),
    ...(schema === undefined ? {} : { schema }),
  }
  return [
    { text: isApproval ? `May the agent call ${name} ${JSON.stringify(args)}?` : words },
    { data, mediaType: 'application/json', metadata: { call_id } },
  ]
}

const wordsOf = ({ status, error, metadata }: Task): string | undefined => {
  if (status === 'failed') return error?.message ?? 'The task has failed.'
  if (status === 'expired') return 'The task has expired.'
  if (status !== 'paused') return undefined
  return `The task is paused${typeof metadata?.reason === 'string' ? `: ${metadata.reason}` : ''}.`
}

/** `messageId`: that of the message of the agent, if the status has one. */
export const statusOf = (task: Task, messageId: string): A2AStatus => {
  const words = wordsOf(task)
  const parts = words === undefined ? askedIn(task).flatMap(questionOf) : [{ text: words }]
  const message: A2AMessage = {
    messageId,
    contextId: task.session_id,
    taskId: task.id,
    role: 'ROLE_AGENT',
    parts,
  }
  return { state: states[task.status], ...(parts.length === 0 ? {} : { message }) }
}
