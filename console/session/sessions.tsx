// The list of environment sessions.
import { signal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import type { EnvironmentInfo, EnvSession } from '../../src/contract/wire.ts'
import { at } from '../api/client.ts'
import { hrefOf } from '../api/router.ts'
import { api, mayWrite } from '../api/session.ts'
import { createAction } from '../ui/action.ts'
import { connection } from '../ui/connection.tsx'
import { Empty, Failure, Loading } from '../ui/notice.tsx'
import { Ago } from '../ui/time.tsx'
import { CreateSession } from './create-session.tsx'

const Row = ({ session }: { session: EnvSession }) => (
  <tr>
    <td class="question">
      <a href={hrefOf(`/sessions${at(session.session_id)}`)}>{session.session_id}</a>
    </td>
    <td class="agent">{session.kind ?? session.env_id}</td>
    <td class="user">{session.user_id}</td>
    <td class="state">{session.is_active ? 'active' : (session.close_reason ?? 'closed')}</td>
    <td class="number" data-label="used">
      <Ago at={session.last_accessed_at * 1000} />
    </td>
  </tr>
)

export const SessionsView = () => {
  const sessions = useMemo(() => signal<EnvSession[] | undefined>(undefined), [])
  const kinds = useMemo(() => signal<EnvironmentInfo[]>([]), [])
  const { error, run } = useMemo(createAction, [])
  const load = () =>
    run(async () => {
      const [found, known] = await Promise.all([
        api.send<{ sessions: EnvSession[] }>('GET', '/env/sessions'),
        api.send<{ environments: EnvironmentInfo[] }>('GET', '/env?limit=100'),
      ])
      sessions.value = found.sessions
      kinds.value = known.environments.filter(({ importable }) => importable === 'true')
    })
  useEffect(() => {
    connection.value = undefined
    document.title = 'Sessions · Reprise'
    void load()
  }, [])
  const found = sessions.value
  return (
    <main class="home">
      <h1>Environment sessions</h1>
      {error.value !== undefined && <Failure error={error.value} retry={() => void load()} />}
      {mayWrite.value && kinds.value.length > 0 && <CreateSession kinds={kinds.value} />}
      {found === undefined && error.value === undefined && <Loading what="sessions" />}
      {found?.length === 0 && <Empty title="No sessions yet">Create one above, and take steps in it.</Empty>}
      {found !== undefined && found.length > 0 && (
        <table class="tasks">
          <thead>
            <tr>
              <th class="question">Session</th>
              <th class="agent">Environment</th>
              <th class="user">User</th>
              <th class="state">State</th>
              <th class="number">Used</th>
            </tr>
          </thead>
          <tbody>
            {found.map(session => (
              <Row key={session.session_id} session={session} />
            ))}
          </tbody>
        </table>
      )}
    </main>
  )
}
