// One stream of the log: its stored events, oldest first.
import { at, queryOf } from '../api/api.ts'
import { hrefOf, place } from '../api/router.ts'
import { api } from '../api/session.ts'
import { More } from '../ui/more.tsx'
import { Loaded, Page } from '../ui/page.tsx'
import { count } from '../ui/time.tsx'
import { type Pages, usePages } from './pages.ts'
import { type Stored, StoredEvent } from './stored-event.tsx'

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
  const pages = usePages<Stored>(`${id} ${chosen}`, async (last, signal) => {
    const after = last?.position ?? (chosen === undefined ? undefined : chosen - 1)
    const query = queryOf({ stream: id, after, limit: perPage })
    type Answer = { events: Stored[]; has_more: boolean }
    const { events, has_more } = await api.send<Answer>('GET', `/audit/events${query}`, undefined, signal)
    return { found: events, more: has_more }
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
