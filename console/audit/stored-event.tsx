// A stored event, as the log holds it.
import type { Static } from 'typebox'
import type { AuditEvent } from '../../src/contract/audit-responses.ts'
import { hrefOf } from '../api/router.ts'
import { Copy } from '../ui/copy.tsx'
import { Facts } from '../ui/facts.tsx'
import { moment, timeOfDay } from '../ui/time.tsx'

export type Stored = Static<typeof AuditEvent>

export const StoredEvent = ({ event, isOpen }: { event: Stored; isOpen: boolean }) => (
  <details class="stored" open={isOpen}>
    <summary>
      <span class="number">{event.revision}</span>
      <b>{event.type}</b>
      <code class="brief">{JSON.stringify(event.data)?.slice(0, 160)}</code>
      <small title={moment(Date.parse(event.time))}>{timeOfDay(Date.parse(event.time))}</small>
    </summary>
    <div class="stored-body">
      <Facts
        of={[
          [
            'Position',
            <a key="position" href={hrefOf(`/proof/${event.position}`)}>
              {event.position}: prove it
            </a>,
          ],
          ['Time', event.time],
          ['Principal', event.principal],
          ['Caused by', event.causation_id],
          ['Leaf', <code key="leaf">{event.leaf_hash}</code>],
          ['Salt', event.salt === '' ? undefined : <code key="salt">{event.salt}</code>],
        ]}
      />
      <h2>Payload</h2>
      <pre>{JSON.stringify(event.data, null, 2)}</pre>
      <h2>Header, from which the leaf is made</h2>
      <pre>{event.header}</pre>
      <Copy label="Copy the event" text={() => JSON.stringify(event)} />
    </div>
  </details>
)
