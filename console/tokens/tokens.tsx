// The tokens of the server: make one, which is shown once, and revoke one.
import { useSignal } from '@preact/signals'
import type { CreatedToken, TokenInfo } from '../../src/contract/responses.ts'
import type { Role } from '../../src/contract/token-events.ts'
import { at } from '../api/client.ts'
import { setQuery } from '../api/router.ts'
import { api, self } from '../api/session.ts'
import { Act } from '../ui/act.tsx'
import { bound } from '../ui/bound.ts'
import { New } from '../ui/new.tsx'
import { Empty } from '../ui/notice.tsx'
import { Loaded, Page } from '../ui/page.tsx'
import { useReading } from '../ui/reading.ts'
import { Secret } from '../ui/secret.tsx'
import { Table } from '../ui/table.tsx'
import { Ago, In } from '../ui/time.tsx'

type Token = import('typebox').Static<typeof TokenInfo>
type Made = import('typebox').Static<typeof CreatedToken>

const roles: readonly [Role, string][] = [
  ['user', 'user: creates and steers tasks'],
  ['auditor', 'auditor: reads everything, changes nothing'],
  ['subscriber', 'subscriber: follows streams only'],
  ['admin', 'admin: everything, and tokens'],
]
const lives = [
  ['3600', 'an hour'],
  ['86400', 'a day'],
  ['2592000', '30 days'],
  ['', 'until it is revoked'],
] as const

const Make = ({ done }: { done: () => void }) => {
  const role = useSignal('user')
  const user = useSignal(self.value?.user_id ?? '')
  const life = useSignal('2592000')
  const made = useSignal<Made | undefined>(undefined)
  const make = async () => {
    made.value = await api.send<Made>('POST', '/auth/tokens', {
      role: role.value,
      ...(user.value === '' ? {} : { user_id: user.value }),
      ...(life.value === '' ? {} : { ttl: Number(life.value) }),
    })
    done()
  }
  return (
    <>
      <New title="Make a token" make={make}>
        <div class="fields">
          <label class="grow">
            <span>Role</span>
            <select {...bound(role)}>
              {roles.map(([name, title]) => (
                <option key={name} value={name}>
                  {title}
                </option>
              ))}
            </select>
          </label>
          <label>
            <span>User; nothing means all users</span>
            <input {...bound(user)} />
          </label>
          <label>
            <span>It is valid for</span>
            <select {...bound(life)}>
              {lives.map(([seconds, title]) => (
                <option key={seconds} value={seconds}>
                  {title}
                </option>
              ))}
            </select>
          </label>
        </div>
      </New>
      {made.value !== undefined && (
        <Secret
          title={`A token with the role ${made.value.role}`}
          secret={made.value.token}
          close={() => {
            made.value = undefined
            setQuery({ new: undefined })
          }}
        />
      )}
    </>
  )
}

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
        { title: 'Age', class: 'number', show: ({ created_at }) => <Ago at={created_at * 1000} /> },
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
      <Make done={reading.again} />
      <Loaded reading={reading} what="list of tokens">
        {({ tokens }) => <Tokens tokens={tokens} again={reading.again} />}
      </Loaded>
    </Page>
  )
}
