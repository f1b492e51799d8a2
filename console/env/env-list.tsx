// The environment sessions, and a form to create one.
import { useSignal } from '@preact/signals'
import type { Static } from 'typebox'
import type { EnvSession } from '../../src/contract/wire.ts'
import { at } from '../api/api.ts'
import { hrefOf, place, setQuery } from '../api/router.ts'
import { api, mayWrite } from '../api/session.ts'
import { More } from '../ui/more.tsx'
import { Empty } from '../ui/notice.tsx'
import { Loaded, Page } from '../ui/page.tsx'
import { useReading } from '../ui/reading.ts'
import { Table } from '../ui/table.tsx'
import { Ago, count } from '../ui/time.tsx'
import { Word } from '../ui/word.tsx'
import { Create } from './create-session.tsx'

type Session = Static<typeof EnvSession>

/** The number of sessions that are drawn, and that each press of the button adds. The search finds the others, too. */
const drawn = 300
const types = 'EnvSessionCreated,EnvStepCompleted,EnvSessionReset,EnvSessionClosed,EnvSessionDeleted'

const Sessions = ({ sessions }: { sessions: readonly Session[] }) => {
  const { query } = place.value
  const most = useSignal(drawn)
  const text = query.get('search') ?? ''
  const isActiveOnly = query.get('state') === 'active'
  const fitting = sessions
    .filter(({ session_id, env_id, user_id, kind = '' }) =>
      [session_id, env_id, user_id, kind].some(each => each.toLowerCase().includes(text.toLowerCase())),
    )
    .filter(({ is_active }) => is_active || !isActiveOnly)
    .toSorted((a, b) => b.created_at - a.created_at)
  return (
    <>
      <search class="fields" aria-label="Filter the sessions">
        <label class="grow">
          <span class="unseen">Search</span>
          <input
            type="search"
            placeholder="Session, environment or user"
            value={text}
            onInput={event => setQuery({ search: event.currentTarget.value })}
          />
        </label>
        <label>
          <span class="unseen">State</span>
          <select
            value={isActiveOnly ? 'active' : ''}
            onChange={event => setQuery({ state: event.currentTarget.value })}
          >
            <option value="">All sessions</option>
            <option value="active">Active sessions</option>
          </select>
        </label>
      </search>
      {fitting.length === 0 ? (
        <Empty title={sessions.length === 0 ? 'No sessions yet' : 'No session fits'}>
          {sessions.length === 0 &&
            'A session is a world in which an agent acts: a game, a database, a folder.'}
        </Empty>
      ) : (
        <Table
          caption="Environment sessions, newest first"
          rows={fitting.slice(0, most.value)}
          keyOf={({ session_id }) => session_id}
          columns={[
            {
              title: 'State',
              class: 'state',
              show: ({ is_active }) =>
                is_active ? <Word as="working">active</Word> : <Word as="completed">closed</Word>,
            },
            {
              title: 'Session',
              class: 'main',
              show: ({ session_id, close_reason }) => (
                <>
                  <a href={hrefOf(`/env${at(session_id)}`)}>{session_id}</a>
                  {close_reason !== undefined && close_reason !== 'closed' && (
                    <span class="why">{close_reason}</span>
                  )}
                </>
              ),
            },
            { title: 'Environment', show: ({ kind, env_id }) => kind ?? env_id },
            { title: 'User', class: 'less', show: ({ user_id }) => user_id },
            { title: 'Age', class: 'number age', show: each => <Ago at={each.created_at * 1000} /> },
            { title: 'Used', class: 'number age', show: each => <Ago at={each.last_accessed_at * 1000} /> },
          ]}
        />
      )}
      {fitting.length > most.value && (
        <More
          label={`Show older sessions (${count(fitting.length - most.value)})`}
          more={() => {
            most.value += drawn
          }}
        />
      )}
    </>
  )
}

export const EnvList = () => {
  const reading = useReading(
    'sessions',
    signal => api.send<{ sessions: Session[] }>('GET', '/env/sessions', undefined, signal),
    { events: { types } },
  )
  return (
    <Page title="Environments">
      {mayWrite.value && <Create />}
      <Loaded reading={reading} what="list of sessions">
        {({ sessions }) => <Sessions sessions={sessions} />}
      </Loaded>
    </Page>
  )
}
