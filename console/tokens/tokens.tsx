// The tokens of the server: make one, which is shown once, and revoke one.
import type { Static } from 'typebox'
import type { TokenList } from '../../src/contract/responses.ts'
import { at } from '../api/api.ts'
import { readList } from '../api/listed.ts'
import { api, self } from '../api/session.ts'
import { Act } from '../ui/act.tsx'
import { CutId } from '../ui/cut-id.tsx'
import { Empty } from '../ui/notice.tsx'
import { Loaded, Page } from '../ui/page.tsx'
import { useReading } from '../ui/reading.ts'
import { Table } from '../ui/table.tsx'
import { Ago, In, moment } from '../ui/time.tsx'
import { TokenForm } from './token-form.tsx'

/** No event says that a token was used. */
const everyMs = 10_000

type Tokens = Static<typeof TokenList>
type Token = Tokens['data'][number]

const read = (signal: AbortSignal) =>
  readList<Token, Pick<Tokens, 'uses_since'>>(api, '/auth/tokens', { limit: 1000 }, { signal })

const TokenTable = ({ tokens, again }: { tokens: readonly Token[]; again: () => void }) =>
  tokens.length === 0 ? (
    <Empty title="No tokens yet">Only the token that the operator has set is valid.</Empty>
  ) : (
    <Table
      caption="Tokens, newest first"
      rows={tokens.toSorted((a, b) => b.created_at - a.created_at)}
      keyOf={({ id }) => id}
      columns={[
        { title: 'Role', class: 'state', show: ({ role }) => role },
        {
          title: 'Token',
          class: 'main',
          show: ({ id, name }) => (
            <>
              {name ?? <CutId id={id} />}
              {name !== null && ' '}
              {name !== null && (
                <small>
                  <CutId id={id} />
                </small>
              )}
              {id === self.value?.id && <span class="why">this token</span>}
            </>
          ),
        },
        { title: 'User', show: ({ user_id }) => user_id ?? 'all users' },
        {
          title: 'Last used',
          class: 'number',
          show: ({ last_used_at }) => (last_used_at === null ? '–' : <Ago at={last_used_at * 1000} />),
        },
        { title: 'Age', class: 'number age', show: ({ created_at }) => <Ago at={created_at * 1000} /> },
        {
          title: 'Ends',
          class: 'number',
          show: ({ expires_at }) => (expires_at === null ? '–' : <In at={expires_at * 1000} />),
        },
        {
          title: 'Actions',
          class: 'buttons',
          show: ({ id }) => (
            <Act
              label="Revoke"
              kind="danger"
              act={() => api.send('DELETE', `/auth/tokens${at(id)}`).then(again)}
              sure={{ title: 'Revoke this token?', children: <p>It stops working at once.</p> }}
            />
          ),
        },
      ]}
    />
  )

export const TokensView = () => {
  const reading = useReading('tokens', read, { everyMs })
  return (
    <Page title="Tokens">
      <TokenForm done={reading.again} />
      <Loaded reading={reading} what="list of tokens">
        {({ found, page: { uses_since } }) => (
          <>
            <TokenTable tokens={found} again={reading.again} />
            <p class="hint">
              The server notes in memory when a token is used: since its start, {moment(uses_since * 1000)}.
            </p>
          </>
        )}
      </Loaded>
    </Page>
  )
}
