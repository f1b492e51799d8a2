// What can be done with a webhook.
import { useSignal } from '@preact/signals'
import { at } from '../api/api.ts'
import { go, hrefOf } from '../api/router.ts'
import { api } from '../api/session.ts'
import { Act } from '../ui/act.tsx'
import { setOpen } from '../ui/new.tsx'
import { Secret } from '../ui/secret.tsx'
import type { Told } from './told.ts'
import { resultOf, type Try, type Webhook } from './webhook-state.tsx'

type Acts = { webhook: Webhook; again: () => void; told: Told }

export const WebhookButtons = ({ webhook, again, told }: Acts) => {
  const secret = useSignal<string | undefined>(undefined)
  const path = `/webhooks${at(webhook.id)}`
  const test = async () => {
    told.value = resultOf(await api.send<Try>('POST', `${path}/test`))
    again()
  }
  const rotate = async () => {
    secret.value = (await api.send<{ secret: string }>('POST', `${path}/rotate-secret`)).secret
  }
  const switchTo = (enabled: boolean) => () => api.send('PATCH', path, { enabled }).then(again)
  return (
    <>
      <Act label="Send a test" kind="primary" act={test} />
      {webhook.enabled ? (
        <Act label="Switch off" act={switchTo(false)} />
      ) : (
        <Act label="Switch on" act={switchTo(true)} />
      )}
      <button type="button" onClick={() => setOpen('edit', true)}>
        Edit
      </button>
      <Act
        label="Replace the secret"
        act={rotate}
        sure={{
          title: 'Replace the secret?',
          no: 'Keep it',
          children: <p>For 24 hours, requests are signed with the old secret, too.</p>,
        }}
      />
      <Act
        label="Delete"
        kind="danger"
        act={() => api.send('DELETE', path).then(() => go(hrefOf('/webhooks')))}
        sure={{ title: 'Delete this webhook?', children: <p>No request begins any more.</p> }}
      />
      {secret.value !== undefined && (
        <Secret
          title="The new secret"
          secret={secret.value}
          close={() => {
            secret.value = undefined
          }}
        />
      )}
    </>
  )
}
