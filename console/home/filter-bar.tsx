// The filters of the list: a count for each status, which can be pressed, and fields for the rest.
import { taskStatuses } from '../../src/contract/wire/task-status.ts'
import { Status } from '../ui/status.tsx'
import { count } from '../ui/time.tsx'
import { agents } from './agents.ts'
import { change, clearFilters, filters, isFiltered, toggleStatus } from './filters.ts'
import type { TaskList } from './list.ts'

const Field = ({
  name,
  label,
  wide,
}: {
  name: 'user' | 'session' | 'error'
  label: string
  wide?: boolean
}) => (
  <label class={wide ? 'grow' : ''}>
    <span class="unseen">{label}</span>
    <input
      type="search"
      placeholder={label}
      value={filters.value[name]}
      onInput={event => change({ [name]: event.currentTarget.value })}
    />
  </label>
)

const spans = [
  ['', 'All times'],
  ['15', 'Last 15 minutes'],
  ['60', 'Last hour'],
  ['1440', 'Last day'],
  ['10080', 'Last week'],
] as const

export const FilterBar = ({ list }: { list: TaskList }) => {
  const { statuses, agent, minutes } = filters.value
  const counts = list.counts.value
  /** The statuses that some task has, or by which the list is filtered. */
  const shown = taskStatuses.filter(status => counts?.by_status[status] || statuses.includes(status))
  return (
    <search class="filters" aria-label="Filter the tasks">
      <ul class="counts">
        {shown.map(status => (
          <li key={status}>
            <button
              type="button"
              class="count"
              aria-pressed={statuses.includes(status)}
              onClick={() => toggleStatus(status)}
            >
              <Status status={status} />
              <b>{counts === undefined ? '–' : count(counts.by_status[status] ?? 0)}</b>
            </button>
          </li>
        ))}
      </ul>
      <div class="fields">
        <label>
          <span class="unseen">Agent</span>
          <select value={agent} onChange={event => change({ agent: event.currentTarget.value })}>
            <option value="">All agents</option>
            {agents.value.map(({ name }) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <label>
          <span class="unseen">Time</span>
          <select
            value={String(minutes ?? '')}
            onChange={event => change({ minutes: event.currentTarget.value })}
          >
            {spans.map(([value, label]) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </select>
        </label>
        <Field name="user" label="User" />
        <Field name="session" label="Session" />
        <Field name="error" label="Text of the error" wide />
        {isFiltered(filters.value) && (
          <button type="button" class="quiet" onClick={clearFilters}>
            Clear filters
          </button>
        )}
      </div>
    </search>
  )
}
