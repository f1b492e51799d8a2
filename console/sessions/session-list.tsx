// Lists the sessions, each with its newest task, and the group chats.
import { useSignal } from '@preact/signals'
import type { Task } from '../../src/contract/wire.ts'
import { at, queryOf } from '../api/api.ts'
import { readPages } from '../api/read-pages.ts'
import { hrefOf, place } from '../api/router.ts'
import { api } from '../api/session.ts'
import type { Row } from '../home/rows.ts'
import { CutId } from '../ui/cut-id.tsx'
import { More } from '../ui/more.tsx'
import { Empty } from '../ui/notice.tsx'
import { Loaded, Page } from '../ui/page.tsx'
import { useReading } from '../ui/reading.ts'
import { Status } from '../ui/status.tsx'
import { Table } from '../ui/table.tsx'
import { Ago, count } from '../ui/time.tsx'

/** The server has no list of sessions: so many of the newest tasks are looked at, and each press of the button adds as many. */
const tasksAtOnce = 300
/** The most tasks that one page looks at. The next page begins behind the last of them. */
const mostTasks = 1500
const perPage = 100

type Session = { key: string; newest: Row; tasks: number }

/** Tasks grouped by user and session, in the order of their newest tasks. */
const sessionsOf = (rows: readonly Row[]): Session[] => {
  const found = new Map<string, Session>()
  for (const row of rows) {
    const key = JSON.stringify([row.user_id, row.session_id])
    const known = found.get(key)
    if (known === undefined) found.set(key, { key, newest: row, tasks: 1 })
    else known.tasks++
  }
  return [...found.values()]
}

const tasks = (wanted: number, filter: { agent?: string; before?: string }, signal: AbortSignal) =>
  readPages<Row>(wanted, async last => {
    const { agent, before } = filter
    const query = queryOf({ agent, fields: 'summary', limit: perPage, starting_after: last?.id ?? before })
    const found = await api.ask<Row[]>('GET', `/tasks${query}`, undefined, signal)
    return { found, more: found.length === perPage }
  })

type Wanted = { chats: number; tasks: number; before: string }

/** `before`: only tasks that are older than the task with this id; empty: the newest. */
const read = async ({ chats: wantedChats, tasks: wantedTasks, before }: Wanted, signal: AbortSignal) => {
  const [chats, rows] = await Promise.all([
    tasks(wantedChats, { agent: 'group' }, signal),
    tasks(wantedTasks, { before }, signal),
  ])
  return {
    chats,
    sessions: sessionsOf(rows.found),
    looked: rows.found.length,
    last: rows.found.at(-1),
    more: rows.more,
  }
}
type Found = Awaited<ReturnType<typeof read>>

const status = { title: 'Status', class: 'state' }
const shortOf = (row: Row): string => (row.question.trim() === '' ? row.id : row.question)
const hrefOfSession = ({ session_id, user_id }: Pick<Task, 'session_id' | 'user_id'>): string =>
  hrefOf(`/sessions${at(session_id)}`, new URLSearchParams({ user: user_id }))

type Props = Found & { before: string; moreChats: () => void; moreTasks: () => void }

/** Says which tasks the list is made from, and leads to older sessions. */
const Older = ({ looked, last, more, before, moreTasks }: Props) => (
  <>
    <p class="hint">
      {before === '' ? `From the ${count(looked)} newest tasks.` : `From ${count(looked)} older tasks.`}{' '}
      {before !== '' && <a href={hrefOf('/sessions')}>Newest sessions</a>}
    </p>
    {more && looked < mostTasks && <More label="Show older sessions" more={moreTasks} />}
    {more && looked >= mostTasks && (
      <a class="more" href={hrefOf('/sessions', new URLSearchParams({ before: last?.id ?? '' }))}>
        Go on with older sessions
      </a>
    )}
  </>
)

const Lists = ({ chats, sessions, ...older }: Props) => (
  <>
    {chats.found.length > 0 && (
      <section aria-labelledby="chats">
        <h2 id="chats">Group chats</h2>
        <Table
          caption="Group chats, newest first"
          rows={chats.found}
          keyOf={({ id }) => id}
          columns={[
            { ...status, show: row => <Status status={row.status} /> },
            {
              title: 'Begins with',
              class: 'main',
              show: row => <a href={hrefOf(`/chats${at(row.id)}`)}>{shortOf(row)}</a>,
            },
            { title: 'User', class: 'less', show: row => row.user_id },
            { title: 'Age', class: 'number age', show: row => <Ago at={row.created_at * 1000} /> },
          ]}
        />
        {chats.more && <More label="Show older group chats" more={older.moreChats} />}
      </section>
    )}
    <section aria-labelledby="sessions">
      <h2 id="sessions">Sessions</h2>
      {sessions.length === 0 ? (
        <Empty title="No sessions yet">
          Every task belongs to a session. Start a task, and continue it here.
        </Empty>
      ) : (
        <Table
          caption="Sessions, by their newest task"
          rows={sessions}
          keyOf={({ key }) => key}
          columns={[
            { ...status, show: ({ newest }) => <Status status={newest.status} /> },
            {
              title: 'Newest message',
              class: 'main',
              show: ({ newest }) => <a href={hrefOfSession(newest)}>{shortOf(newest)}</a>,
            },
            { title: 'Session', class: 'less', show: ({ newest }) => <CutId id={newest.session_id} /> },
            { title: 'User', class: 'less', show: ({ newest }) => newest.user_id },
            { title: 'Tasks', class: 'number', show: ({ tasks }) => count(tasks) },
            {
              title: 'Age',
              class: 'number age',
              show: ({ newest }) => <Ago at={newest.created_at * 1000} />,
            },
          ]}
        />
      )}
      <Older chats={chats} sessions={sessions} {...older} />
    </section>
  </>
)

export const SessionList = () => {
  const before = place.value.query.get('before') ?? ''
  const wanted = useSignal({ chats: perPage, tasks: tasksAtOnce })
  const reading = useReading(`sessions ${before}`, signal => read({ ...wanted.value, before }, signal), {
    events: { types: 'TaskCreated,TaskStatusChanged,TaskDeleted' },
  })
  const grow = (chats: number, tasks: number) => () => {
    wanted.value = { chats: wanted.value.chats + chats, tasks: wanted.value.tasks + tasks }
    reading.again()
  }
  return (
    <Page title="Conversations">
      <Loaded reading={reading} what="list of conversations">
        {found => (
          <Lists {...found} before={before} moreChats={grow(perPage, 0)} moreTasks={grow(0, tasksAtOnce)} />
        )}
      </Loaded>
    </Page>
  )
}
