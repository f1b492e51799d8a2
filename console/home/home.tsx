// The first view: start a task, see what needs somebody, and follow all tasks.
import { useComputed, useSignal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import { api, mayWrite } from '../api/session.ts'
import { useConnection } from '../ui/connection.tsx'
import { More } from '../ui/more.tsx'
import { Empty, Failure, Loading } from '../ui/notice.tsx'
import { useSettled } from '../ui/settled.ts'
import { count } from '../ui/time.tsx'
import { readAgents } from './agents.ts'
import { Attention } from './attention.tsx'
import { BulkCancel } from './bulk-cancel.tsx'
import { FilterBar } from './filter-bar.tsx'
import { filters, isFiltered, listBefore } from './filters.ts'
import { createList, type TaskList } from './list.ts'
import { StartBox } from './start-box.tsx'
import { TaskTable } from './task-table.tsx'

/** How many of the tasks are on the page, when these are not all. */
const Shown = ({ list }: { list: TaskList }) => {
  const { statuses, before } = filters.value
  const counts = list.counts.value
  if (counts === undefined || before !== '' || !(list.hasMore.value || list.isFull.value)) return null
  const all =
    statuses.length === 0
      ? counts.total
      : statuses.reduce((sum, status) => sum + (counts.by_status[status] ?? 0), 0)
  return (
    <small>
      the newest {count(list.rows.value.length)} of {count(all)}
    </small>
  )
}

const Rows = ({ list }: { list: TaskList }) => {
  const selected = useSignal<ReadonlySet<string>>(new Set())
  const rows = list.rows.value
  const { before } = filters.value
  const all = useComputed(() => {
    const known = new Map([...list.attention.value, ...list.rows.value].map(row => [row.id, row]))
    return [...known.values()]
  })
  if (!list.isLoaded.value) return list.error.value === undefined ? <Loading what="tasks" /> : null
  return (
    <>
      <Attention list={list} selected={selected} />
      <section aria-labelledby="tasks">
        <div class="section-head">
          <h2 id="tasks">
            {isFiltered(filters.value) ? 'Matching tasks' : before === '' ? 'Tasks' : 'Older tasks'}
          </h2>
          {before !== '' && <a href={listBefore()}>Newest tasks</a>}
          <Shown list={list} />
          {mayWrite.value && <BulkCancel rows={all.value} selected={selected} done={list.readNow} />}
        </div>
        {rows.length > 0 && <TaskTable caption="Tasks, newest first" rows={rows} selected={selected} />}
        {rows.length === 0 &&
          (isFiltered(filters.value) ? (
            <Empty title="No task fits these filters">Clear a filter to see more.</Empty>
          ) : (
            <Empty title="No tasks yet">
              Press an example above, then Start. The task appears here and runs at once.
            </Empty>
          ))}
        {list.hasMore.value && <More label="Show older tasks" more={list.more} />}
        {list.isFull.value && (
          <a class="more" href={listBefore(rows.at(-1)?.id)}>
            Go on with older tasks
          </a>
        )}
      </section>
    </>
  )
}

/** Whether there are tasks. As long as nobody knows, there are some. */
const hasTasks = ({ counts }: TaskList): boolean =>
  counts.value?.total !== 0 || isFiltered(filters.value) || filters.value.before !== ''

export const Home = () => {
  // When the filters change, a new list is made. The filters are in the address of the page. Somebody who writes into a
  // field changes them with each key.
  const key = useSettled(JSON.stringify(filters.value))
  const list = useMemo(() => createList(api, filters.peek()), [key])
  useConnection(list.connection)
  useEffect(() => list.close, [list])
  useEffect(() => void readAgents().catch(() => {}), [])
  return (
    <main class="home">
      <h1 class="unseen">Tasks</h1>
      {mayWrite.value && <StartBox hasTasks={hasTasks(list)} />}
      <FilterBar list={list} />
      {list.error.value !== undefined && <Failure error={list.error.value} retry={list.readNow} />}
      <Rows list={list} />
    </main>
  )
}
