// Lists the sessions, each with its newest task, and the group chats.
import type { Task } from '../../src/contract/wire.ts'
import { at, queryOf } from '../api/api.ts'
import { hrefOf } from '../api/router.ts'
import { api } from '../api/session.ts'
import type { Row } from '../home/rows.ts'
import { Empty } from '../ui/notice.tsx'
import { Loaded, Page } from '../ui/page.tsx'
import { useReading } from '../ui/reading.ts'
import { Status } from '../ui/status.tsx'
import { Table } from '../ui/table.tsx'
import { Ago, count } from '../ui/time.tsx'

/** How many of the newest tasks are looked at, in pages. The server has no list of sessions. */
const pages = 3
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

const page = (query: object, signal: AbortSignal) =>
  api.ask<Row[]>(
    'GET',
    `/tasks${queryOf({ fields: 'summary', limit: perPage, ...query })}`,
    undefined,
    signal,
  )

const read = async (signal: AbortSignal) => {
  const chats = await page({ agent: 'group' }, signal)
  const rows: Row[] = []
  for (let n = 0; n < pages; n++) {
    const next = await page({ starting_after: rows.at(-1)?.id }, signal)
    rows.push(...next)
    if (next.length < perPage) break
  }
  return { chats, sessions: sessionsOf(rows) }
}

const status = { title: 'Status', class: 'state' }
const shortOf = (row: Row): string => (row.question.trim() === '' ? row.id : row.question)
const hrefOfSession = ({ session_id, user_id }: Pick<Task, 'session_id' | 'user_id'>): string =>
  hrefOf(`/sessions${at(session_id)}`, new URLSearchParams({ user: user_id }))

const Lists = ({ chats, sessions }: { chats: readonly Row[]; sessions: readonly Session[] }) => (
  <>
    {chats.length > 0 && (
      <section aria-labelledby="chats">
        <h2 id="chats">Group chats</h2>
        <Table
          caption="Group chats, newest first"
          rows={chats}
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
            { title: 'Session', class: 'less', show: ({ newest }) => newest.session_id },
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
      <p class="hint">From the {count(pages * perPage)} newest tasks.</p>
    </section>
  </>
)

export const SessionList = () => {
  const reading = useReading('sessions', read, {
    events: { types: 'TaskCreated,TaskStatusChanged,TaskDeleted' },
  })
  return (
    <Page title="Conversations">
      <Loaded reading={reading} what="list of conversations">
        {found => <Lists {...found} />}
      </Loaded>
    </Page>
  )
}
