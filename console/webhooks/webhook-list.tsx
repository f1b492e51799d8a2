// The webhooks, with their state.
import { at, queryOf } from '../api/api.ts'
import { hrefOf } from '../api/router.ts'
import { api, mayWrite } from '../api/session.ts'
import { Empty } from '../ui/notice.tsx'
import { Loaded, Page } from '../ui/page.tsx'
import { useReading } from '../ui/reading.ts'
import { Table } from '../ui/table.tsx'
import { Ago, count } from '../ui/time.tsx'
import { NewWebhook } from './webhook-form.tsx'
import { filterOf, type Webhook, WebhookState } from './webhook-state.tsx'

const most = 1000
const everyMs = 5000

const Webhooks = ({ webhooks }: { webhooks: readonly Webhook[] }) =>
  webhooks.length === 0 ? (
    <Empty title="No webhooks yet">A webhook sends events to a URL, signed and in order.</Empty>
  ) : (
    <Table
      caption="Webhooks, newest first"
      rows={webhooks.toReversed()}
      keyOf={({ id }) => id}
      columns={[
        { title: 'Status', class: 'state', show: webhook => <WebhookState webhook={webhook} /> },
        {
          title: 'Receiver',
          class: 'main',
          show: ({ id, url, failing }) => (
            <>
              <a href={hrefOf(`/webhooks${at(id)}`)}>{url}</a>
              {failing !== null && <span class="why bad">{failing.error}</span>}
            </>
          ),
        },
        { title: 'Events', show: filterOf },
        { title: 'User', class: 'less', show: ({ user_id }) => user_id ?? 'all users' },
        { title: 'Delivered', class: 'number', show: ({ delivered }) => count(delivered) },
        { title: 'Age', class: 'number age', show: ({ created_at }) => <Ago at={created_at * 1000} /> },
      ]}
    />
  )

export const WebhookList = () => {
  const reading = useReading(
    'webhooks',
    signal => api.send<{ data: Webhook[] }>('GET', `/webhooks${queryOf({ limit: most })}`, undefined, signal),
    { everyMs },
  )
  return (
    <Page title="Webhooks">
      {mayWrite.value && <NewWebhook />}
      <Loaded reading={reading} what="list of webhooks">
        {({ data }) => <Webhooks webhooks={data} />}
      </Loaded>
    </Page>
  )
}
