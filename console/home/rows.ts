// The rows of the list of tasks: summaries that the server gave, changed by the events that came since.
import type { PublicEvent } from '../../src/contract/events/public-events.ts'
import { isTerminal, type TaskStatus } from '../../src/contract/wire/task-status.ts'
import type { Filters } from './filters.ts'

export type Row = {
  id: string
  session_id: string
  user_id: string
  status: TaskStatus
  created_at: number
  question: string
  started_at?: number
  ended_at?: number
  duration_ms?: number
  usage?: { total_tokens?: number }
  error?: { message: string; code: number }
  metadata?: {
    agent?: string
    reason?: string
    waiting_for?: 'worker'
    parent_task_id?: string
    forked_from?: { task_id: string }
  }
}

export type RowEvent = Extract<PublicEvent, { type: 'TaskCreated' | 'TaskStatusChanged' | 'TaskDeleted' }>

/** Whether the event alone shows that a new task belongs in the list. */
const fits = (event: Extract<RowEvent, { type: 'TaskCreated' }>, filters: Filters): boolean => {
  const { statuses, agent, user, session, error, before } = filters
  if (before !== '') return false
  if (agent !== '' || error !== '') return false // the next read of the list decides
  return (
    (statuses.length === 0 || statuses.includes(event.status)) &&
    (user === '' || user === event.user_id) &&
    (session === '' || session === event.session_id)
  )
}

const begun = (event: Extract<RowEvent, { type: 'TaskCreated' }>): Row => ({
  id: event.task_id,
  session_id: event.session_id,
  user_id: event.user_id,
  status: event.status,
  created_at: Math.floor(Date.parse(event.timestamp) / 1000),
  question: event.title,
})

const moved = (row: Row, event: Extract<RowEvent, { type: 'TaskStatusChanged' }>): Row => {
  const at = Math.floor(Date.parse(event.timestamp) / 1000)
  const { reason, ...metadata } = row.metadata ?? {}
  return {
    ...row,
    status: event.new_status,
    metadata: event.reason === undefined ? metadata : { ...metadata, reason: event.reason },
    ...(event.new_status === 'working' && row.started_at === undefined ? { started_at: at } : {}),
    ...(isTerminal(event.new_status) ? { ended_at: at } : {}),
  }
}

/**
 * The rows after these events, newest first, at most `limit` rows. A row whose status does not fit the filter any more
 * stays until the list is read again, so that it does not vanish while somebody wants to click it.
 */
export const applyEvents = (
  rows: readonly Row[],
  events: readonly RowEvent[],
  filters: Filters,
  limit: number,
): Row[] => {
  const known = new Map(rows.map(row => [row.id, row]))
  const added: Row[] = []
  for (const event of events) {
    const row = known.get(event.task_id)
    if (event.type === 'TaskCreated' && row === undefined && fits(event, filters)) {
      added.push(begun(event))
      known.set(event.task_id, begun(event))
    }
    if (event.type === 'TaskStatusChanged' && row !== undefined) known.set(row.id, moved(row, event))
    if (event.type === 'TaskDeleted') known.delete(event.task_id)
  }
  return [...added.reverse(), ...rows].flatMap(({ id }) => known.get(id) ?? []).slice(0, limit)
}

const rank: Partial<Record<TaskStatus, number>> = { 'input-required': 0, paused: 1, failed: 3 }
const urgency = ({ status, metadata }: Row): number =>
  metadata?.reason === 'outcome_unknown' ? 0.5 : (rank[status] ?? 9)
/** Tasks that wait for a person: those with a question first, then unknown outcomes, other pauses, and failures. */
export const byUrgency = (rows: readonly Row[]): Row[] =>
  rows.toSorted((a, b) => urgency(a) - urgency(b) || b.created_at - a.created_at)

const waits: ReadonlySet<TaskStatus> = new Set(['input-required', 'paused'])
/** How long the agent worked so far, in milliseconds; undefined before it began and while it waits. */
export const workedFor = (row: Row, now: number): number | undefined => {
  if (row.duration_ms !== undefined) return row.duration_ms
  if (row.started_at === undefined || waits.has(row.status)) return undefined
  return (row.ended_at === undefined ? now : row.ended_at * 1000) - row.started_at * 1000
}
