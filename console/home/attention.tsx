// The tasks that need somebody: those that wait for a person, and those that failed within a day, one row for each reason.
import type { Signal } from '@preact/signals'
import { hrefOf } from '../api/router.ts'
import {
  day,
  dismiss,
  dismissed,
  type Failures,
  failuresOf,
  listOf,
  showDismissed,
} from './grouped-failures.ts'
import type { TaskList } from './list.ts'
import { type Unshown, waits } from './read-list.ts'
import type { Row } from './rows.ts'
import { TaskTable } from './task-table.tsx'

/** The most reasons of failures that are shown. */
const mostReasons = 10

/** Says that more tasks need attention than are shown, and leads to them. */
const MoreUrgent = ({ waiting, failed }: Unshown) => {
  if (!waiting && !failed) return null
  return (
    <p class="hint">
      There are more: {waiting && <a href={hrefOf('/', waitingQuery)}>all that wait</a>}
      {waiting && failed && ', '}
      {failed && <a href={hrefOf('/', failedQuery)}>all that failed within a day</a>}
    </p>
  )
}
const waitingQuery = new URLSearchParams(waits.map(status => ['status', status]))
const failedQuery = new URLSearchParams({ status: 'failed', minutes: String(day) })

/** `isLeast`: there may be more than are known. */
const GroupButtons = ({ group, isLeast }: { group: Failures; isLeast: boolean }) => {
  const { newest, others } = group
  return (
    <span class="row-buttons">
      {others.length > 0 && (
        <a href={listOf(group)} title="All failures of the last day with this error">
          and {others.length}
          {isLeast && '+'} more
        </a>
      )}
      <button
        type="button"
        class="quiet"
        aria-label={`Dismiss ${newest.question}`}
        title="Hide it in this browser until another task fails for this reason"
        onClick={() => dismiss(group)}
      >
        Dismiss
      </button>
    </span>
  )
}

export const Attention = ({ list, selected }: { list: TaskList; selected: Signal<ReadonlySet<string>> }) => {
  const rows = list.attention.value
  const failed = rows.filter(({ status }) => status === 'failed')
  const groups = failuresOf(failed.filter(({ id }) => !(id in dismissed.value)))
  const shown = groups.slice(0, mostReasons)
  const byId = new Map(shown.map(group => [group.newest.id, group]))
  const left = failed.filter(({ id }) => id in dismissed.value).length
  const urgent: Row[] = [
    ...rows.filter(({ status }) => status !== 'failed'),
    ...shown.map(({ newest }) => newest),
  ]
  const { waiting, failed: isLeast } = list.unshown.value
  if (urgent.length === 0 && left === 0) return null
  return (
    <section aria-labelledby="attention">
      <div class="section-head">
        <h2 id="attention">Needs attention</h2>
        {left > 0 && (
          <small>
            {left} {left === 1 ? 'failure is' : 'failures are'} dismissed{' '}
            <button type="button" class="link" onClick={showDismissed}>
              Show
            </button>
          </small>
        )}
      </div>
      {urgent.length > 0 && (
        <TaskTable
          caption="Tasks that need attention"
          rows={urgent}
          selected={selected}
          buttons={({ id }) => {
            const group = byId.get(id)
            return group && <GroupButtons group={group} isLeast={isLeast} />
          }}
        />
      )}
      <MoreUrgent waiting={waiting} failed={isLeast || groups.length > mostReasons} />
    </section>
  )
}
