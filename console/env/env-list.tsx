// The environment sessions, and a form to create one.
import { useSignal } from '@preact/signals'
import type { Static } from 'typebox'
import type { EnvSession } from '../../src/contract/wire.ts'
import { at, queryOf } from '../api/api.ts'
import { readPages } from '../api/read-pages.ts'
import { hrefOf, place, setQuery } from '../api/router.ts'
import { api, mayWrite } from '../api/session.ts'
import { CutId } from '../ui/cut-id.tsx'
import { More } from '../ui/more.tsx'
import { Empty } from '../ui/notice.tsx'
import { Loaded, Page } from '../ui/page.tsx'
import { useReading } from '../ui/reading.ts'
import { useSettled } from '../ui/settled.ts'
import { Table } from '../ui/table.tsx'
import { Ago } from '../ui/time.tsx'
import { Word } from '../ui/word.tsx'
import { Create } from './create-session.tsx'

type Session = Static<typeof EnvSession>

const perPage = 200
const types = 'EnvSessionCreated,EnvStepCompleted,EnvSessionReset,EnvSessionClosed,EnvSessionDeleted'

type Filter = { search: string; state: string }

const read = (wanted: number, { search, state }: Filter, signal: AbortSignal) =>
  readPages<Session>(wanted, async last => {
    const query = queryOf({ limit: perPage, starting_after: last?.session_id, search, state })
    type Answer = { sessions: Session[]; has_more: boolean }
    const answer = await api.send<Answer>('GET', `/env/sessions${query}`, undefined, signal)
    return { found: answer.sessions, more: answer.has_more }
  })

const Filters = ({ search, state }: Filter) => (
  <search class="fields" aria-label="Filter the sessions">
    <label class="grow">
      <span class="unseen">Search</span>
      <input
        type="search"
        placeholder="Session, environment or user"
        value={search}
        onInput={event => setQuery({ search: event.currentTarget.value })}
      />
    </label>
    <label>
      <span class="unseen">State</span>
      <select value={state} onChange={event => setQuery({ state: event.currentTarget.value })}>
        <option value="">All sessions</option>
        <option value="active">Active sessions</option>
      </select>
    </label>
  </search>
)

type ListProps = { sessions: readonly Session[]; isFiltered: boolean; older: (() => void) | undefined }

const Sessions = ({ sessions, isFiltered, older }: ListProps) => {
  return (
    <>
      {sessions.length === 0 ? (
        <Empty title={isFiltered ? 'No session fits' : 'No sessions yet'}>
          {!isFiltered && 'A session is a world in which an agent acts: a game, a database, a folder.'}
        </Empty>
      ) : (
        <Table
          caption="Environment sessions, newest first"
          rows={sessions}
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
                  <a href={hrefOf(`/env${at(session_id)}`)}>
                    <CutId id={session_id} start={24} />
                  </a>
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
      {older !== undefined && <More label="Show older sessions" more={older} />}
    </>
  )
}

export const EnvList = () => {
  const { query } = place.value
  const search = query.get('search') ?? ''
  const state = query.get('state') === 'active' ? 'active' : ''
  const wanted = useSignal(perPage)
  const filter = { search: useSettled(search.trim()), state }
  const reading = useReading(
    `sessions ${JSON.stringify(filter)}`,
    signal => read(wanted.value, filter, signal),
    { events: { types } },
  )
  const older = () => {
    wanted.value += perPage
    reading.again()
  }
  return (
    <Page title="Environments">
      {mayWrite.value && <Create />}
      <Filters search={search} state={state} />
      <Loaded reading={reading} what="list of sessions">
        {({ found, more }) => (
          <Sessions
            sessions={found}
            isFiltered={filter.search !== '' || state !== ''}
            older={more ? older : undefined}
          />
        )}
      </Loaded>
    </Page>
  )
}
