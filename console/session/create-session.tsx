// Creates an environment session.
import { signal } from '@preact/signals'
import { useMemo } from 'preact/hooks'
import type { EnvironmentInfo, EnvSession } from '../../src/contract/wire.ts'
import { at } from '../api/client.ts'
import { go, hrefOf } from '../api/router.ts'
import { api } from '../api/session.ts'
import { createAction } from '../ui/action.ts'
import { bound } from '../ui/bound.ts'
import { Problem } from '../ui/notice.tsx'

export const CreateSession = ({ kinds }: { kinds: readonly EnvironmentInfo[] }) => {
  const kind = useMemo(() => signal('gridworld'), [])
  const { busy, error, run } = useMemo(createAction, [])
  const create = () =>
    run(async () => {
      const made = await api.send<EnvSession>('POST', '/env/create', { env_id: kind.value })
      go(hrefOf(`/sessions${at(made.session_id)}`))
    })
  return (
    <form
      class="panel start"
      aria-label="Create a session"
      onSubmit={event => {
        event.preventDefault()
        void create()
      }}
    >
      <div class="start-line">
        <label>
          <span>Environment</span>
          <select {...bound(kind)}>
            {kinds.map(({ name }) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <button type="submit" class="primary" disabled={busy.value}>
          Create
        </button>
        <span class="hint">{kinds.find(({ name }) => name === kind.value)?.description}</span>
        <Problem text={error.value} />
      </div>
    </form>
  )
}
