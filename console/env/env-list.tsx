// The environment sessions, and a form to create one.
import { useSignal } from '@preact/signals'
import type { EnvironmentInfo, EnvSession } from '../../src/contract/wire.ts'
import { at } from '../api/client.ts'
import { go, hrefOf, place, setQuery } from '../api/router.ts'
import { api, mayWrite } from '../api/session.ts'
import { bound } from '../ui/bound.ts'
import { New } from '../ui/new.tsx'
import { Empty } from '../ui/notice.tsx'
import { Loaded, Page } from '../ui/page.tsx'
import { useReading } from '../ui/reading.ts'
import { Table } from '../ui/table.tsx'
import { Ago, count } from '../ui/time.tsx'
import { Word } from '../ui/word.tsx'

type Kind = import('typebox').Static<typeof EnvironmentInfo>
type Session = import('typebox').Static<typeof EnvSession>

/** The most sessions that are drawn; the search reaches the others. */
const most = 300
const types = 'EnvSessionCreated,EnvStepCompleted,EnvSessionReset,EnvSessionClosed,EnvSessionDeleted'

const Create = () => {
  const kinds = useReading('kinds', signal =>
    api.send<{ environments: Kind[] }>('GET', '/env', undefined, signal),
  )
  const kind = useSignal('gridworld')
  const id = useSignal('')
  const settings = useSignal('')
  const all = kinds.value.value?.environments ?? []
  const chosen = all.find(({ name }) => name === kind.value)
  const create = async () => {
    const { session_id } = await api.send<{ session_id: string }>('POST', '/env/create', {
      env_class_path: kind.value,
      ...(id.value === '' ? {} : { session_id: id.value }),
      ...(settings.value.trim() === '' ? {} : { env_init_kwargs: JSON.parse(settings.value) as object }),
    })
    go(hrefOf(`/env${at(session_id)}`))
  }
  return (
    <New title="Create a session" make={create}>
      <div class="fields">
        <label>
          <span>Environment</span>
          <select {...bound(kind)}>
            {all.map(({ name, importable }) => (
              <option key={name} value={name} disabled={importable === 'false'}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <label class="grow">
          <span>Name of the session, or nothing</span>
          <input {...bound(id)} />
        </label>
      </div>
      {chosen !== undefined && (
        <p class="hint">
          {chosen.error ?? chosen.description} {chosen.limits}
        </p>
      )}
      <label>
        <span>Settings as JSON, or nothing (env_init_kwargs)</span>
        <textarea class="code" rows={3} spellcheck={false} {...bound(settings)} />
      </label>
      {chosen?.default_params_summary && <p class="hint">Settings: {chosen.default_params_summary}</p>}
    </New>
  )
}

const Sessions = ({ sessions }: { sessions: readonly Session[] }) => {
  const { query } = place.value
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
          rows={fitting.slice(0, most)}
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
            { title: 'Age', class: 'number', show: each => <Ago at={each.created_at * 1000} /> },
            { title: 'Used', class: 'number', show: each => <Ago at={each.last_accessed_at * 1000} /> },
          ]}
        />
      )}
      {fitting.length > most && (
        <p class="hint">{count(fitting.length - most)} older sessions are not shown.</p>
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
