// The settings of a webhook, and why its deliveries fail.
import { Facts } from '../ui/facts.tsx'
import { count, In, moment } from '../ui/time.tsx'
import { filterOf, type Webhook } from './webhook-state.tsx'

export const Failing = ({ failing }: { failing: NonNullable<Webhook['failing']> }) => (
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

export const Settings = ({ webhook }: { webhook: Webhook }) => (
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
