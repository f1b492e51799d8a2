// Links to the newest tasks whose session is this environment session.
import { at, queryOf } from '../api/api.ts'
import { hrefOf } from '../api/router.ts'
import { api } from '../api/session.ts'
import type { Row } from '../home/rows.ts'
import { useReading } from '../ui/reading.ts'
import { Status } from '../ui/status.tsx'

const most = 20

export const LinkedTasks = ({ sessionId, steps }: { sessionId: string; steps: number }) => {
  const query = queryOf({ session_id: sessionId, fields: 'summary', limit: most + 1 })
  const tasks = useReading(`${sessionId} ${steps}`, signal =>
    api.ask<Row[]>('GET', `/tasks${query}`, undefined, signal),
  )
  const found = tasks.value.value ?? []
  if (found.length === 0) return <p class="hint">No task names this session.</p>
  return (
    <>
      <ul class="links">
        {found.slice(0, most).map(({ id, question, status }) => (
          <li key={id}>
            <Status status={status} /> <a href={hrefOf(`/tasks${at(id)}`)}>{question || id}</a>
          </li>
        ))}
      </ul>
      {found.length > most && (
        <a href={hrefOf('/', new URLSearchParams({ session: sessionId }))}>All tasks of the session</a>
      )}
    </>
  )
}
