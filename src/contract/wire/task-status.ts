// The nine statuses of a task.

export const taskStatuses = [
  'created',
  'queued',
  'working',
  'input-required',
  'paused',
  'completed',
  'canceled',
  'expired',
  'failed',
] as const
export type TaskStatus = (typeof taskStatuses)[number]

export const terminalStatuses: ReadonlySet<TaskStatus> = new Set([
  'completed',
  'canceled',
  'expired',
  'failed',
])
export const isTerminal = (status: TaskStatus | 'absent'): boolean =>
  terminalStatuses.has(status as TaskStatus)
