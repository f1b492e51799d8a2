// What was used, day by day: the tasks that were created, and what became of them.
import { useMemo } from 'preact/hooks'
import { isTerminal, type TaskStatus, taskStatuses } from '../../src/contract/wire/task-status.ts'
import { queryOf } from '../api/api.ts'
import { api } from '../api/session.ts'
import { Loaded, Page } from '../ui/page.tsx'
import { useReading } from '../ui/reading.ts'
import { Table } from '../ui/table.tsx'
import { count } from '../ui/time.tsx'

// Counts the tasks of the past days by status. The server finds the tasks of a day by an index, and counts them.

/** `begin`: the first moment of the day here, in milliseconds. */
type Day = { begin: number; total: number; byStatus: Partial<Record<TaskStatus, number>> }

const days = 14

/** The first moments of the past days and of the next one, oldest first. A day may have 23 or 25 hours. */
const beginnings = (now: Date): number[] =>
  Array.from({ length: days + 1 }, (_, n) =>
    new Date(now.getFullYear(), now.getMonth(), now.getDate() - days + 1 + n).getTime(),
  )

const hasOpen = ({ byStatus }: Day): boolean =>
  taskStatuses.some(status => !isTerminal(status) && (byStatus[status] ?? 0) > 0)

/** Tasks of an earlier day that have not ended may end at any time, but few do: milliseconds until they are counted again. */
const recountMs = 5 * 60_000

const createDayReader = () => {
  /** The days that are over, by their beginnings. `until`: when the day must be counted again. */
  const known = new Map<number, { day: Day; until: number }>()
  const readDay = async (begin: number, end: number, signal: AbortSignal): Promise<Day> => {
    const [created_after, created_before] = [begin, end].map(time => new Date(time).toISOString())
    const path = `/tasks${queryOf({ fields: 'counts', created_after, created_before })}`
    type Counts = { total: number; by_status: Day['byStatus'] }
    const { total, by_status } = await api.ask<Counts>('GET', path, undefined, signal)
    return { begin, total, byStatus: by_status }
  }
  /** Reads one day after the other: today each time, earlier days more rarely, or never again. Rejects with ApiError. */
  return async (signal: AbortSignal): Promise<Day[]> => {
    const edges = beginnings(new Date())
    const found: Day[] = []
    for (const [n, begin] of edges.slice(0, days).entries()) {
      const end = edges[n + 1] as number
      const before = known.get(begin)
      const isKnown = before !== undefined && Date.now() < before.until
      const day = isKnown ? before.day : await readDay(begin, end, signal)
      if (!isKnown && end <= Date.now())
        known.set(begin, { day, until: hasOpen(day) ? Date.now() + recountMs : Number.POSITIVE_INFINITY })
      found.push(day)
    }
    return found
  }
}

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
