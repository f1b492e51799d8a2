// The webhooks, with their state.
import { useSignal } from '@preact/signals'
import { at } from '../api/api.ts'
import { readList } from '../api/listed.ts'
import { hrefOf } from '../api/router.ts'
import { api, mayWrite } from '../api/session.ts'
import { More } from '../ui/more.tsx'
import { Empty } from '../ui/notice.tsx'
import { Loaded, Page } from '../ui/page.tsx'
import { useReading } from '../ui/reading.ts'
import { Table } from '../ui/table.tsx'
import { Ago, count } from '../ui/time.tsx'
import { NewWebhook } from './webhook-form.tsx'
import { filterOf, type Webhook, WebhookState } from './webhook-state.tsx'

const perPage = 1000
/** The number of webhooks that are drawn, and that each press of the button adds. */
const drawn = 200
const everyMs = 5000

/** All webhooks. The server gives the oldest first, and the page shows the newest first. */
const read = (signal: AbortSignal) => readList<Webhook>(api, '/webhooks', { limit: perPage }, { signal })

const Webhooks = ({ webhooks }: { webhooks: readonly Webhook[] }) =>
  webhooks.length === 0 ? (
    <Empty title="No webhooks yet">A webhook sends events to a URL, signed and in order.</Empty>
  ) : (
    <Table
      caption="Webhooks, newest first"
      rows={webhooks}
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
  const most = useSignal(drawn)
  const reading = useReading('webhooks', read, { everyMs })
  return (
    <Page title="Webhooks">
      {mayWrite.value && <NewWebhook />}
      <Loaded reading={reading} what="list of webhooks">
        {({ found }) => (
          <>
            <Webhooks webhooks={found.toReversed().slice(0, most.value)} />
            {found.length > most.value && (
              <More
                label="Show older webhooks"
                more={() => {
                  most.value += drawn
                }}
              />
            )}
          </>
        )}
      </Loaded>
    </Page>
  )
}
