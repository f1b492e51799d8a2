// A task as MCP shows it, and its end as the result of the call that has begun it.
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'
import { plainText } from '../../contract/plain-text.ts'
import { taskErrors } from '../../contract/task-errors.ts'
import type { Task, TaskStatus } from '../../contract/wire.ts'
import { elicitationFor } from './questions.ts'
import type { TaskNow } from './task-now.ts'

const text = (words: string) => [{ type: 'text', text: words }]

export const failedResult = (words: string) => ({ content: text(words), isError: true })

/** The answer of an agent: its last message. */
const answerOf = ({ output }: Task): string => {
  const last = output.findLast(item => item.type === 'message' && item.role === 'assistant')
  return last?.type === 'message' ? plainText(last.message_content) : ''
}

/** Failures of what runs the agent. All others are those of the agent, about which its caller shall hear. */
const ofMachinery: readonly number[] = [taskErrors.HostFailed.code, taskErrors.AgentChanged.code]

/** The result of a call whose task has ended, or the error in its place. */
export const endOf = (task: Task): { result: object } | { error: ProtocolError } => {
  const fault = (message: string, data?: object) => ({
    error: new ProtocolError(ProtocolErrorCode.InternalError, message, data),
  })
  const { status, error } = task
  if (status === 'completed') return { result: { content: text(answerOf(task)) } }
  if (status === 'canceled') return { result: failedResult('The task was canceled.') }
  if (status === 'expired') return fault('the task has expired')
  const { code = 0, message = 'the task has failed' } = error ?? {}
  return ofMachinery.includes(code) ? fault(message, { code }) : { result: failedResult(message) }
}

/** The result of a call whose task has ended; throws the error in its place. */
export const resultOf = (task: Task): object => {
  const end = endOf(task)
  if ('error' in end) throw end.error
  return { ...end.result, _meta: { task_id: task.id, session_id: task.session_id } }
}

const statuses: Partial<Record<TaskStatus, string>> = { completed: 'completed', canceled: 'cancelled' }

const waitingFor = { paused: 'The task is paused.', approval: 'The task waits for an approval.' }

/** How often clients should ask. */
const pollIntervalMs = 1000

type Shown = TaskNow & { elicits: boolean }

/** The fields that every answer about a task has. */
const headOf = ({ task, endedAt }: Shown) => ({
  taskId: task.id,
  createdAt: new Date(task.created_at * 1000).toISOString(),
  lastUpdatedAt: new Date(endedAt ?? Date.now()).toISOString(),
  ttlMs: null,
  pollIntervalMs,
})

/** Why a task that has not ended does not go on by itself. */
const statusMessageOf = ({ task, questions, elicits }: Shown): string | undefined => {
  if (task.status === 'paused') return waitingFor.paused
  if (questions.size === 0) return task.status === 'input-required' ? waitingFor.approval : undefined
  const asked = [...questions.values()].map(call => elicitationFor(call).params.message).join('\n')
  return elicits ? asked : `The task waits for an answer, which this client cannot give: ${asked}`
}

/** The state of a task, with what belongs to it: its questions, its result, or its error. */
export const detailsOf = (shown: Shown): Record<string, unknown> => {
  const { task, questions, elicits } = shown
  const statusMessage = statusMessageOf(shown)
  const head = { ...headOf(shown), ...(statusMessage === undefined ? {} : { statusMessage }) }
  const end = ['completed', 'failed', 'expired'].includes(task.status) ? endOf(task) : undefined
  if (end !== undefined && 'error' in end) {
    const { code, message, data } = end.error
    return { ...head, status: 'failed', error: { code, message, ...(data === undefined ? {} : { data }) } }
  }
  if (end !== undefined) return { ...head, status: 'completed', result: end.result }
  if (task.status === 'paused' || questions.size === 0)
    return { ...head, status: statuses[task.status] ?? 'working' }
  const inputRequests = elicits
    ? Object.fromEntries([...questions].map(([key, call]) => [key, elicitationFor(call)]))
    : {}
  return { ...head, status: 'input_required', inputRequests }
}

/** The answer to a call that has become a task. */
export const taskResult = (shown: Shown) => {
  const { result: _, error: __, inputRequests: ___, ...state } = detailsOf(shown)
  return { resultType: 'task', ...state }
}
