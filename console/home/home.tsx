// The first view: start a task, see what needs somebody, and follow all tasks.
import { useComputed, useSignal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import { api, mayWrite } from '../api/session.ts'
import { useConnection } from '../ui/connection.tsx'
import { Empty, Failure, Loading } from '../ui/notice.tsx'
import { readAgents } from './agents.ts'
import { BulkCancel } from './bulk-cancel.tsx'
import { FilterBar } from './filter-bar.tsx'
import { filters, isFiltered, listBefore } from './filters.ts'
import { createList, type TaskList } from './list.ts'
import { StartBox } from './start-box.tsx'
import { TaskTable } from './task-table.tsx'

/** Milliseconds from a change of the filters until the server is asked. */
const settleMs = 150

const Rows = ({ list }: { list: TaskList }) => {
  const selected = useSignal<ReadonlySet<string>>(new Set())
  const rows = list.rows.value
  const { before } = filters.value
  const urgent = list.attention.value
  const all = useComputed(() => {
    const known = new Map([...list.attention.value, ...list.rows.value].map(row => [row.id, row]))
    return [...known.values()]
  })
  if (!list.isLoaded.value) return list.error.value === undefined ? <Loading what="tasks" /> : null
  return (
    <>
      {urgent.length > 0 && (
        <section aria-labelledby="attention">
          <h2 id="attention">Needs attention</h2>
          <TaskTable caption="Tasks that need attention" rows={urgent} selected={selected} />
        </section>
      )}
      <section aria-labelledby="tasks">
        <div class="section-head">
          <h2 id="tasks">
            {isFiltered(filters.value) ? 'Matching tasks' : before === '' ? 'Tasks' : 'Older tasks'}
          </h2>
          {before !== '' && <a href={listBefore()}>Newest tasks</a>}
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
        {list.hasMore.value && (
          <button type="button" class="more" onClick={list.more}>
            Show older tasks
          </button>
        )}
        {list.isFull.value && (
          <a class="more" href={listBefore(rows.at(-1)?.id)}>
            Go on with older tasks
          </a>
        )}
      </section>
    </>
  )
}

/** A key, some milliseconds after it last changed. */
const useSettled = (key: string): string => {
  const settled = useSignal(key)
  useEffect(() => {
    const timer = setTimeout(() => {
      settled.value = key
    }, settleMs)
    return () => clearTimeout(timer)
  }, [key])
  return settled.value
}

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
      {mayWrite.value && <StartBox />}
      <FilterBar list={list} />
      {list.error.value !== undefined && <Failure error={list.error.value} retry={list.readNow} />}
      <Rows list={list} />
    </main>
  )
}
