// What was used, day by day: the tasks that were created, and what became of them.
import { useMemo } from 'preact/hooks'
import type { TaskStatus } from '../../src/contract/wire.ts'
import { Loaded, Page } from '../ui/page.tsx'
import { useReading } from '../ui/reading.ts'
import { Table } from '../ui/table.tsx'
import { count } from '../ui/time.tsx'
import { createDayReader, type Day, days } from './read-days.ts'

const everyMs = 10_000

/** Statuses that stand together in the columns. */
const kinds: readonly { title: string; class: string; of: readonly TaskStatus[] }[] = [
  { title: 'Completed', class: 'is-completed', of: ['completed'] },
  { title: 'Failed', class: 'is-failed', of: ['failed', 'expired'] },
  { title: 'Canceled', class: 'is-canceled', of: ['canceled'] },
  { title: 'Wait for somebody', class: 'is-paused', of: ['input-required', 'paused'] },
  { title: 'At work', class: 'is-working', of: ['created', 'queued', 'working'] },
]
const countOf = ({ byStatus }: Day, of: readonly TaskStatus[]): number =>
  of.reduce((sum, status) => sum + (byStatus[status] ?? 0), 0)

const short = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' })
const long = new Intl.DateTimeFormat(undefined, { weekday: 'short', day: 'numeric', month: 'short' })

const Columns = ({ of }: { of: readonly Day[] }) => {
  const most = Math.max(1, ...of.map(({ total }) => total))
  const sum = of.reduce((all, { total }) => all + total, 0)
  return (
    <section class="panel usage" aria-label="Tasks by day">
      <ul class="legend">
        {kinds.map(kind => (
          <li key={kind.title} class={kind.class}>
            {kind.title}
          </li>
        ))}
      </ul>
      <div
        class="columns-of-days"
        role="img"
        aria-label={`${count(sum)} tasks in ${days} days, at most ${count(most)} in one. The table below has the numbers.`}
      >
        {of.map(day => (
          <div key={day.begin} class="day" title={`${long.format(day.begin)}: ${count(day.total)} tasks`}>
            <small>{day.total > 0 && count(day.total)}</small>
            <div class="stack" style={{ height: `calc((100% - 3rem) * ${day.total / most})` }}>
              {kinds.map(kind => {
                const part = countOf(day, kind.of)
                return part > 0 && <i key={kind.title} class={kind.class} style={{ flexGrow: part }} />
              })}
            </div>
            <small>{short.format(day.begin)}</small>
          </div>
        ))}
      </div>
    </section>
  )
}

export const UsageView = () => {
  const read = useMemo(createDayReader, [])
  const reading = useReading('usage', read, { everyMs })
  return (
    <Page title="Usage">
      <Loaded reading={reading} what="usage by day">
        {found => (
          <>
            <h2>Tasks by the day on which they were created</h2>
            <Columns of={found} />
            <Table
              caption="Days with tasks, newest first"
              rows={found.filter(({ total }) => total > 0).toReversed()}
              keyOf={({ begin }) => begin}
              columns={[
                { title: 'Day', class: 'main', show: ({ begin }) => long.format(begin) },
                { title: 'Tasks', class: 'number', show: ({ total }) => count(total) },
                ...kinds.map(kind => ({
                  title: kind.title,
                  class: 'number',
                  show: (day: Day) => count(countOf(day, kind.of)),
                })),
              ]}
            />
            <p class="hint">
              Tasks of subagents are not counted, and no deleted tasks. What models used is in each task.
            </p>
          </>
        )}
      </Loaded>
    </Page>
  )
}
