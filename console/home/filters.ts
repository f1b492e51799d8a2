// The filters of the list of tasks. They are in the address of the page.
import { computed } from '@preact/signals'
import { type TaskStatus, taskStatuses } from '../../src/contract/wire/task-status.ts'
import { hrefOf, place, setQuery } from '../api/router.ts'

export type Filters = {
  statuses: TaskStatus[]
  agent: string
  user: string
  session: string
  error: string
  /** The list shows tasks whose age is at most this many minutes; undefined: tasks of any age. */
  minutes: number | undefined
  /** The list begins with the tasks before the task with this id; empty: with the newest. */
  before: string
}

const isStatus = (text: string): text is TaskStatus => (taskStatuses as readonly string[]).includes(text)

export const filters = computed<Filters>(() => {
  const { query } = place.value
  const minutes = Number(query.get('minutes'))
  return {
    statuses: query.getAll('status').filter(isStatus),
    agent: query.get('agent') ?? '',
    user: query.get('user') ?? '',
    session: query.get('session') ?? '',
    error: query.get('error') ?? '',
    minutes: Number.isFinite(minutes) && minutes > 0 ? minutes : undefined,
    before: query.get('before') ?? '',
  }
})

/** Whether the list has only tasks that fit a filter. */
export const isFiltered = ({ statuses, before: _, ...texts }: Filters): boolean =>
  statuses.length > 0 || Object.values(texts).some(Boolean)

/** The filters as parameters of `GET /tasks`. The counts use the same filters without the statuses. */
export const listQuery = ({ statuses, agent, user, session, error, minutes }: Filters, now: number) => ({
  status: statuses,
  agent,
  user_id: user,
  session_id: session,
  error,
  created_after: minutes === undefined ? undefined : Math.floor(now / 1000) - minutes * 60,
})

export const change = (
  changes: Partial<Record<'agent' | 'user' | 'session' | 'error' | 'minutes', string>>,
) => setQuery({ ...changes, before: '' })
export const toggleStatus = (status: TaskStatus): void => {
  const { statuses } = filters.value
  const next = statuses.includes(status) ? statuses.filter(one => one !== status) : [...statuses, status]
  setQuery({ status: next, before: '' }, { push: true })
}
export const clearFilters = (): void =>
  setQuery(
    { status: [], agent: '', user: '', session: '', error: '', minutes: '', before: '' },
    { push: true },
  )
/** The address of the list that begins before a task, or with the newest one. */
export const listBefore = (id = ''): string => {
  const query = new URLSearchParams(place.value.query)
  query.delete('before')
  if (id !== '') query.set('before', id)
  return hrefOf('/', query)
}
