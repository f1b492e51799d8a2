// One stream of the log: its stored events, oldest first.

import type { Static } from 'typebox'
import type { AuditEvent } from '../../src/contract/audit-responses.ts'
import { at } from '../api/api.ts'
import { hrefOf, place } from '../api/router.ts'
import { Copy } from '../ui/copy.tsx'
import { Facts } from '../ui/facts.tsx'
import { More } from '../ui/more.tsx'
import { Loaded, Page } from '../ui/page.tsx'
import { count, moment, timeOfDay } from '../ui/time.tsx'
import { type Pages, usePages } from './pages.ts'

// A stored event, as the log holds it.

type Stored = Static<typeof AuditEvent>

const StoredEvent = ({ event, isOpen }: { event: Stored; isOpen: boolean }) => (
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

const perPage = 100

/** For each kind of stream, the view that shows its subject, and the text of the link to that view. */
const views: Record<string, [string, string]> = {
  task: ['/tasks', 'Open the task'],
  env: ['/env', 'Open the session'],
  cron: ['/cron', 'Open the cron job'],
  webhook: ['/webhooks', 'Open the webhook'],
}
export const viewOf = (stream: string): { href: string; title: string } | undefined => {
  const [kind = '', ...rest] = stream.split('-')
  const view = views[kind]
  return view === undefined ? undefined : { href: hrefOf(view[0] + at(rest.join('-'))), title: view[1] }
}

/** The position of the event that the address names. */
const chosenIn = (): number | undefined => Number(place.value.query.get('position')) || undefined

const Events = ({ id, pages }: { id: string; pages: Pages<Stored> }) => {
  const chosen = chosenIn()
  return (
    <section class="panel stream" aria-label="Events">
      {(pages.rows.value[0]?.revision ?? 0) > 0 && (
        <a class="more" href={hrefOf(`/audit${at(id)}`)}>
          Show the stream from its first event
        </a>
      )}
      {pages.rows.value.map(event => (
        <StoredEvent key={event.position} event={event} isOpen={event.position === chosen} />
      ))}
      {pages.hasMore.value && (
        <More label="Show later events" more={pages.more} disabled={pages.isReading.value} />
      )}
    </section>
  )
}

export const StreamView = ({ id }: { id: string }) => {
  // A stream may be long, so it is shown from the event that the address names.
  const chosen = chosenIn()
  const pages = usePages<Stored>('/audit/events', {
    stream: id,
    after: chosen === undefined ? undefined : chosen - 1,
    limit: perPage,
  })
  const view = viewOf(id)
  return (
    <Page
      title={id}
      above={{ path: '/audit', title: 'Log' }}
      buttons={
        <div class="buttons">
          {pages.isLoaded.value && (
            <small>
              {count(pages.rows.value.length)} {pages.hasMore.value ? 'events, and more' : 'events'}
            </small>
          )}
          {view !== undefined && <a href={view.href}>{view.title}</a>}
        </div>
      }
    >
      <Loaded reading={pages} what="stream">
        {() => <Events id={id} pages={pages} />}
      </Loaded>
    </Page>
  )
}
