// One webhook: its deliveries, and what can be done with it.
import { useSignal } from '@preact/signals'
import { mayWrite } from '../api/session.ts'
import { More } from '../ui/more.tsx'
import { Loaded, Page } from '../ui/page.tsx'
import { useReading } from '../ui/reading.ts'
import { Deliveries } from './deliveries.tsx'
import { readWebhook } from './read-webhook.ts'
import type { Told } from './told.ts'
import { WebhookButtons } from './webhook-buttons.tsx'
import { Failing, Settings } from './webhook-facts.tsx'
import { ChangeWebhook } from './webhook-form.tsx'
import { WebhookState } from './webhook-state.tsx'

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
