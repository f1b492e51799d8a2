// One webhook: its deliveries, and what can be done with it.
import { type Signal, useSignal } from '@preact/signals'
import { at, queryOf } from '../api/client.ts'
import { go, hrefOf } from '../api/router.ts'
import { api, mayWrite } from '../api/session.ts'
import { Act } from '../ui/act.tsx'
import { Facts } from '../ui/facts.tsx'
import { Empty } from '../ui/notice.tsx'
import { Loaded, Page } from '../ui/page.tsx'
import { useReading } from '../ui/reading.ts'
import { Secret } from '../ui/secret.tsx'
import { Table } from '../ui/table.tsx'
import { Ago, count, duration, In, moment } from '../ui/time.tsx'
import {
  type Delivery,
  filterOf,
  Outcome,
  resultOf,
  type Try,
  type Webhook,
  WebhookState,
} from './webhook-state.tsx'

const perPage = 100
const most = 1000
const everyMs = 3000

type Read = { webhook: Webhook; deliveries: Delivery[]; more: boolean }
/** What the page says of the newest try that its user asked for. */
type Told = Signal<string | undefined>

const readWebhook = async (id: string, limit: number, signal: AbortSignal): Promise<Read> => {
  const path = `/webhooks${at(id)}`
  type Answer = { data: Delivery[]; has_more: boolean }
  const [webhook, { data, has_more }] = await Promise.all([
    api.send<Webhook>('GET', path, undefined, signal),
    api.send<Answer>('GET', `${path}/deliveries${queryOf({ limit })}`, undefined, signal),
  ])
  return { webhook, deliveries: data, more: has_more }
}

type Acts = { webhook: Webhook; again: () => void; told: Told }

const Buttons = ({ webhook, again, told }: Acts) => {
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
      <Act
        label="Replace the secret"
        act={rotate}
        sure={{
          title: 'Replace the secret?',
          no: 'Keep it',
          children: <p>For 24 hours the old secret signs too.</p>,
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

const Deliveries = ({ read, again, told }: { read: Read; again: () => void; told: Told }) => {
  const send = (id: string) => async () => {
    const path = `/webhooks${at(read.webhook.id)}/deliveries${at(id)}/redeliver`
    told.value = resultOf(await api.send<Try>('POST', path))
    again()
  }
  if (read.deliveries.length === 0)
    return <Empty title="No deliveries yet">Send a test, or start a task whose events it sends.</Empty>
  return (
    <Table
      caption="Deliveries, newest first"
      rows={read.deliveries}
      keyOf={({ id }) => id}
      columns={[
        { title: 'Outcome', class: 'state', show: delivery => <Outcome of={delivery} /> },
        {
          title: 'Event',
          class: 'main',
          show: ({ id, type, error }) => (
            <>
              {type} <small>{id}</small>
              {error !== null && <span class="why bad">{error}</span>}
            </>
          ),
        },
        { title: 'Answer', class: 'number', show: ({ status }) => status ?? '–' },
        { title: 'Tries', class: 'number', show: ({ attempts }) => attempts },
        { title: 'Took', class: 'number', show: ({ duration_ms }) => duration(duration_ms) },
        { title: 'Age', class: 'number', show: each => <Ago at={Date.parse(each.at)} /> },
        ...(mayWrite.value
          ? [
              {
                title: 'Actions',
                class: 'buttons',
                show: ({ id }: Delivery) => <Act label="Send again" act={send(id)} />,
              },
            ]
          : []),
      ]}
    />
  )
}

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
            {mayWrite.value && <Buttons webhook={webhook} again={reading.again} told={told} />}
          </div>
        )
      }
    >
      <output class="told">{told.value}</output>
      <Loaded reading={reading} what="webhook">
        {read => (
          <div class="columns">
            <section aria-label="Deliveries">
              <Deliveries read={read} again={reading.again} told={told} />
              {read.more && limit.value < most && (
                <button
                  type="button"
                  class="more"
                  onClick={() => {
                    limit.value += perPage
                    reading.again()
                  }}
                >
                  Show older deliveries
                </button>
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
