// A form that makes a token, which is shown once.

import { useSignal } from '@preact/signals'
import type { Static } from 'typebox'
import type { Role } from '../../src/contract/events/token-events.ts'
import type { CreatedToken } from '../../src/contract/responses.ts'
import { setQuery } from '../api/router.ts'
import { api, self } from '../api/session.ts'
import { Choice, Text } from '../ui/fields.tsx'
import { New } from '../ui/new.tsx'
import { Secret } from '../ui/secret.tsx'

type Made = Static<typeof CreatedToken>

const roles: readonly [Role, string][] = [
  ['user', 'user: creates and steers tasks'],
  ['auditor', 'auditor: reads everything, changes nothing'],
  ['subscriber', 'subscriber: follows streams only'],
  ['worker', 'worker: runs agents of yours'],
  ['admin', 'admin: everything, and tokens'],
]
const lives = [
  ['3600', 'an hour'],
  ['86400', 'a day'],
  ['2592000', '30 days'],
  ['', 'until it is revoked'],
] as const

export const TokenForm = ({ done }: { done: () => void }) => {
  const role = useSignal('user')
  const name = useSignal('')
  const user = useSignal(self.value?.user_id ?? '')
  const life = useSignal('2592000')
  const made = useSignal<Made | undefined>(undefined)
  const make = async () => {
    made.value = await api.send<Made>('POST', '/auth/tokens', {
      role: role.value,
      ...(name.value.trim() === '' ? {} : { name: name.value.trim() }),
      ...(user.value === '' ? {} : { user_id: user.value }),
      ...(life.value === '' ? {} : { ttl: Number(life.value) }),
    })
    done()
  }
  return (
    <>
      <New title="Make a token" send={make}>
        <div class="fields">
          <Text label="Name, or nothing" at="name" isWide value={name} />
          <Choice label="Role" at="role" isWide value={role} of={roles} />
          <Text label="User, or nothing for all" at="user_id" value={user} />
          <Choice label="It is valid for" at="ttl" value={life} of={lives} />
        </div>
      </New>
      {made.value !== undefined && (
        <Secret
          title={made.value.name ?? `A token with the role ${made.value.role}`}
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
