// The forms that make and change a webhook. The secret of a new webhook is shown once.
import { useSignal } from '@preact/signals'
import { useMemo } from 'preact/hooks'
import { at } from '../api/api.ts'
import { go, hrefOf } from '../api/router.ts'
import { api } from '../api/session.ts'
import { Edit, isOpen, New } from '../ui/new.tsx'
import { Secret } from '../ui/secret.tsx'
import { bodyOf, changesOf, createDraft } from './webhook-draft.ts'
import { WebhookFields } from './webhook-fields.tsx'
import type { Webhook } from './webhook-state.tsx'

export const NewWebhook = () => {
  const draft = useMemo(createDraft, [])
  const made = useSignal<(Webhook & { secret: string }) | undefined>(undefined)
  const make = async () => {
    made.value = await api.send('POST', '/webhooks', bodyOf(draft))
  }
  return (
    <>
      <New title="Make a webhook" send={make}>
        <WebhookFields draft={draft} />
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

/** The draft begins with the webhook as it is when the form opens. `done` is called when the change is stored. */
export const ChangeWebhook = ({ webhook, done }: { webhook: Webhook; done: () => void }) => {
  const before = useMemo(() => ({ webhook, draft: createDraft(webhook) }), [webhook.id, isOpen('edit')])
  const save = async () => {
    await api.send('PATCH', `/webhooks${at(webhook.id)}`, changesOf(before.draft, before.webhook))
    done()
  }
  return (
    <Edit title="Change the webhook" send={save}>
      <WebhookFields draft={before.draft} />
    </Edit>
  )
}
