// The task object.
import Type, { type Static } from 'typebox'
import { OutputItem, PendingCallItem } from './items.ts'
import { OpenObject, optional } from './schema.ts'
import { type TaskStatus, taskStatuses } from './task-status.ts'

export const ErrorObject = Type.Object({
  code: Type.Integer(),
  message: Type.String(),
  data: optional(Type.Unknown()),
})
export type ErrorObject = Static<typeof ErrorObject>

export const Usage = Type.Interface([OpenObject], {
  input_tokens: optional(Type.Integer({ minimum: 0 })),
  output_tokens: optional(Type.Integer({ minimum: 0 })),
  total_tokens: optional(Type.Integer({ minimum: 0 })),
})
export type Usage = Record<string, unknown>

export const Task = Type.Object({
  object: Type.Literal('task'),
  id: Type.String(),
  session_id: Type.String(),
  user_id: Type.String(),
  status: Type.Enum([...taskStatuses]),
  created_at: Type.Integer(),
  output: Type.Array(OutputItem),
  usage: optional(Usage),
  error: optional(ErrorObject),
  input_required: optional(PendingCallItem),
  metadata: optional(OpenObject),
  previous_task_id: optional(Type.String()),
  rollouts: optional(Type.Array(OpenObject)),
})
export type Task = {
  object: 'task'
  id: string
  session_id: string
  user_id: string
  status: TaskStatus
  created_at: number
  usage?: Usage
  error?: ErrorObject
  input_required?: PendingCallItem
  metadata?: Record<string, unknown>
  previous_task_id?: string
  rollouts?: Record<string, unknown>[]
  output: OutputItem[]
}

/** Keys of `metadata` that only the service writes; a create that names one is refused. */
export const reservedMetadata: ReadonlySet<string> = new Set([
  'agent',
  'agent_version',
  'sleeping_until',
  'waiting_for',
  'expires_at',
  'reason',
  'pending_inputs',
  'pending_task',
  'odd_tools',
  'ignored_fields',
  'group_chat_id',
  'parent_task_id',
  'forked_from',
  'subagent_usage',
  'continued_by',
  'ended_by',
  'effect',
  'incomplete_details',
  'finish_reason',
])
