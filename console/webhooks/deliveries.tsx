// The deliveries of a webhook, each of which can be sent again.
import { at } from '../api/api.ts'
import { api, mayWrite } from '../api/session.ts'
import { Act } from '../ui/act.tsx'
import { CutId } from '../ui/cut-id.tsx'
import { Empty } from '../ui/notice.tsx'
import { Table } from '../ui/table.tsx'
import { Ago, duration } from '../ui/time.tsx'
import type { Read } from './read-webhook.ts'
import type { Told } from './told.ts'
import { type Delivery, Outcome, resultOf, type Try } from './webhook-state.tsx'

const Tries = ({ of }: { of: Delivery['tries'] }) => (
  <details>
    <summary>Every try</summary>
    <ol class="tries">
      {of.map(({ at, status, error, by }) => (
        <li>
          <Ago at={Date.parse(at)} />: {error ?? `answered ${status}`}
          {by !== null && ` (asked for by ${by})`}
        </li>
      ))}
    </ol>
  </details>
)

export const Deliveries = ({ read, again, told }: { read: Read; again: () => void; told: Told }) => {
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
          show: ({ id, type, error, tries }) => (
            <>
              {type}{' '}
              <small>
                <CutId id={id} />
              </small>
              {error !== null && <span class="why bad">{error}</span>}
              {tries.length > 1 && <Tries of={tries} />}
            </>
          ),
        },
        { title: 'Answer', class: 'number', show: ({ status }) => status ?? '–' },
        { title: 'Tries', class: 'number', show: ({ attempts }) => attempts },
        { title: 'Took', class: 'number', show: ({ duration_ms }) => duration(duration_ms) },
        { title: 'Age', class: 'number age', show: each => <Ago at={Date.parse(each.at)} /> },
        ...(mayWrite.value
          ? [
              {
                title: 'Actions',
                class: 'buttons when-wanted',
                show: ({ id }: Delivery) => <Act label="Send again" act={send(id)} />,
              },
            ]
          : []),
      ]}
    />
  )
}
