// A form that makes a webhook. The answer shows the secret, once.
import { useSignal } from '@preact/signals'
import { eventNames } from '../../src/contract/event-names.ts'
import { at } from '../api/client.ts'
import { go, hrefOf } from '../api/router.ts'
import { api } from '../api/session.ts'
import { bound } from '../ui/bound.ts'
import { New } from '../ui/new.tsx'
import { Secret } from '../ui/secret.tsx'
import type { Webhook } from './webhook-state.tsx'

export const WebhookForm = () => {
  const url = useSignal('')
  const types = useSignal<readonly string[]>([])
  const session = useSignal('')
  const made = useSignal<(Webhook & { secret: string }) | undefined>(undefined)
  const make = async () => {
    made.value = await api.send('POST', '/webhooks', {
      url: url.value,
      ...(types.value.length === 0 ? {} : { types: types.value }),
      ...(session.value === '' ? {} : { session_id: session.value }),
    })
  }
  const toggle = (type: string) => {
    types.value = types.value.includes(type)
      ? types.value.filter(each => each !== type)
      : [...types.value, type]
  }
  return (
    <>
      <New title="Make a webhook" make={make}>
        <div class="fields">
          <label class="grow">
            <span>URL of the receiver</span>
            <input type="url" required placeholder="https://" {...bound(url)} />
          </label>
          <label>
            <span>Session, or nothing</span>
            <input {...bound(session)} />
          </label>
        </div>
        <fieldset class="choices">
          <legend>Types of events; none means all that need no name</legend>
          {eventNames.map(type => (
            <label key={type} class="check">
              <input type="checkbox" checked={types.value.includes(type)} onChange={() => toggle(type)} />
              <span>{type}</span>
            </label>
          ))}
        </fieldset>
      </New>
      {made.value !== undefined && (
        <Secret
          title="The secret of the webhook"
          secret={made.value.secret}
          close={() => go(hrefOf(`/webhooks${at(made.value?.id ?? '')}`))}
        />
      )}
    </>
  )
}
