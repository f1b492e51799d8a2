// A form that creates an environment session.

import { useSignal } from '@preact/signals'
import type { Static } from 'typebox'
import { readJson } from '../../src/contract/json/exact-json.ts'
import type { EnvironmentInfo } from '../../src/contract/wire.ts'
import { at } from '../api/api.ts'
import { go, hrefOf } from '../api/router.ts'
import { api } from '../api/session.ts'
import { bound } from '../ui/bound.ts'
import { Area, Text } from '../ui/fields.tsx'
import { New } from '../ui/new.tsx'
import { useReading } from '../ui/reading.ts'

type Kind = Static<typeof EnvironmentInfo>

export const Create = () => {
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
      ...(settings.value.trim() === '' ? {} : { env_init_kwargs: readJson(settings.value) as object }),
    })
    go(hrefOf(`/env${at(session_id)}`))
  }
  return (
    <New title="Create a session" send={create}>
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
        <Text label="Name of the session, or nothing" at="session_id" isWide value={id} />
      </div>
      {chosen !== undefined && (
        <p class="hint">
          {chosen.error ?? chosen.description} {chosen.limits}
        </p>
      )}
      <Area
        label="Settings as JSON, or nothing (env_init_kwargs)"
        at="env_init_kwargs"
        class="code"
        rows={3}
        spellcheck={false}
        value={settings}
      />
      {chosen?.default_params_summary && <p class="hint">Settings: {chosen.default_params_summary}</p>}
    </New>
  )
}
