// The tokens of the server: make one, which is shown once, and revoke one.
import type { Static } from 'typebox'
import type { TokenInfo } from '../../src/contract/responses.ts'
import { at } from '../api/api.ts'
import { api, self } from '../api/session.ts'
import { Act } from '../ui/act.tsx'
import { Empty } from '../ui/notice.tsx'
import { Loaded, Page } from '../ui/page.tsx'
import { useReading } from '../ui/reading.ts'
import { Table } from '../ui/table.tsx'
import { Ago, In } from '../ui/time.tsx'
import { TokenForm } from './token-form.tsx'

type Token = Static<typeof TokenInfo>
const Tokens = ({ tokens, again }: { tokens: readonly Token[]; again: () => void }) =>
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
          show: ({ id }) => (
            <>
              <code>{id}</code>
              {id === self.value?.id && <span class="why">this token</span>}
            </>
          ),
        },
        { title: 'User', show: ({ user_id }) => user_id ?? 'all users' },
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
  const reading = useReading('tokens', signal =>
    api.send<{ tokens: Token[] }>('GET', '/auth/tokens', undefined, signal),
  )
  return (
    <Page title="Tokens">
      <TokenForm done={reading.again} />
      <Loaded reading={reading} what="list of tokens">
        {({ tokens }) => <Tokens tokens={tokens} again={reading.again} />}
      </Loaded>
    </Page>
  )
}
