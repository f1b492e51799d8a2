// One webhook: its deliveries, and what can be done with it.
import { useSignal } from '@preact/signals'
import { at } from '../api/api.ts'
import { go, hrefOf } from '../api/router.ts'
import { api, mayWrite } from '../api/session.ts'
import { Act } from '../ui/act.tsx'
import { Facts } from '../ui/facts.tsx'
import { More } from '../ui/more.tsx'
import { setOpen } from '../ui/new.tsx'
import { Loaded, Page } from '../ui/page.tsx'
import { useReading } from '../ui/reading.ts'
import { Secret } from '../ui/secret.tsx'
import { count, In, moment } from '../ui/time.tsx'
import { Deliveries } from './deliveries.tsx'
import { readWebhook } from './read-webhook.ts'
import type { Told } from './told.ts'
import { ChangeWebhook } from './webhook-form.tsx'
import { filterOf, resultOf, type Try, type Webhook, WebhookState } from './webhook-state.tsx'

// What can be done with a webhook.

type Acts = { webhook: Webhook; again: () => void; told: Told }

const WebhookButtons = ({ webhook, again, told }: Acts) => {
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

// The settings of a webhook, and why its deliveries fail.

const Failing = ({ failing }: { failing: NonNullable<Webhook['failing']> }) => (
  <section class="panel side-part failing" aria-label="Failing">
    <h2>Deliveries fail</h2>
    <Facts
      of={[
        ['Event', `${failing.type} ${failing.event_id}`],
        ['Error', failing.error],
        ['Tries', failing.attempts],
        ['Next try', <In key="next" at={Date.parse(failing.next_attempt_at)} />],
      ]}
    />
  </section>
)

const Settings = ({ webhook }: { webhook: Webhook }) => (
  <section class="panel side-part" aria-label="Settings">
    <h2>Settings</h2>
    <Facts
      of={[
        ['URL', webhook.url],
        ['Events', filterOf(webhook)],
        ['Headers', Object.keys(webhook.headers).join(', ') || undefined],
        ['Signed', webhook.signed ? 'yes' : 'no'],
        ['User', webhook.user_id ?? 'all users'],
        ['Switched off', webhook.disabled_reason?.replaceAll('_', ' ')],
        ['Delivered', count(webhook.delivered)],
        ['Up to', `position ${webhook.position}`],
        ['Made', moment(webhook.created_at * 1000)],
      ]}
    />
  </section>
)

const perPage = 100
/** The server keeps no more deliveries of a webhook. */
const most = 1000
const everyMs = 3000

export const WebhookView = ({ id }: { id: string }) => {
  const limit = useSignal(perPage)
  const told: Told = useSignal(undefined)
  const reading = useReading(id, signal => readWebhook(id, limit.value, signal), { everyMs })
  const webhook = reading.value.value?.webhook
  return (
    <Page
      title={webhook?.url ?? id}
      above={{ path: '/webhooks', title: 'Webhooks' }}
      buttons={
        webhook !== undefined && (
          <div class="buttons">
            <WebhookState webhook={webhook} />
            {mayWrite.value && <WebhookButtons webhook={webhook} again={reading.again} told={told} />}
          </div>
        )
      }
    >
      <output class="told">{told.value}</output>
      {webhook !== undefined && mayWrite.value && <ChangeWebhook webhook={webhook} done={reading.again} />}
      <Loaded reading={reading} what="webhook">
        {read => (
          <div class="columns">
            <section aria-label="Deliveries">
              <Deliveries read={read} again={reading.again} told={told} />
              {read.more && limit.value < most && (
                <More
                  label="Show older deliveries"
                  more={() => {
                    limit.value += perPage
                    reading.again()
                  }}
                />
              )}
            </section>
            <aside aria-label="Webhook">
              {read.webhook.failing !== null && <Failing failing={read.webhook.failing} />}
              <Settings webhook={read.webhook} />
            </aside>
          </div>
        )}
      </Loaded>
    </Page>
  )
}
