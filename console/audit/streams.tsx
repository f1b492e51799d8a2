// The streams of the log.
import type { Static } from 'typebox'
import type { StreamSummary } from '../../src/contract/audit-responses.ts'
import { at } from '../api/api.ts'
import { hrefOf, place, setQuery } from '../api/router.ts'
import { CutId } from '../ui/cut-id.tsx'
import { More } from '../ui/more.tsx'
import { Empty } from '../ui/notice.tsx'
import { Loaded } from '../ui/page.tsx'
import { useSettled } from '../ui/settled.ts'
import { Table } from '../ui/table.tsx'
import { count } from '../ui/time.tsx'
import { usePages } from './pages.ts'

type Summary = Static<typeof StreamSummary>
const perPage = 500

export const Streams = () => {
  const search = place.value.query.get('search') ?? ''
  const wanted = useSettled(search.trim())
  const pages = usePages<Summary>('/audit/streams', { order: 'desc', limit: perPage, search: wanted })
  return (
    <section aria-labelledby="streams">
      <h2 id="streams">Streams</h2>
      <search class="fields" aria-label="Filter the streams">
        <label class="grow">
          <span class="unseen">Search</span>
          <input
            type="search"
            placeholder="A part of the stream’s name, or a user"
            value={search}
            onInput={event => setQuery({ search: event.currentTarget.value })}
          />
        </label>
      </search>
      <Loaded reading={pages} what="list of streams">
        {rows =>
          rows.length === 0 ? (
            <Empty title="No stream fits" />
          ) : (
            <Table
              caption="Streams, newest first"
              rows={rows}
              keyOf={({ stream }) => stream}
              columns={[
                {
                  title: 'Stream',
                  class: 'main',
                  show: ({ stream }) => (
                    <a href={hrefOf(`/audit${at(stream)}`)}>
                      <CutId id={stream} start={17} />
                    </a>
                  ),
                },
                { title: 'User', class: 'less', show: ({ owner }) => owner || '–' },
                { title: 'Last event', show: ({ last_type }) => last_type },
                { title: 'Events', class: 'number', show: ({ revision }) => count(revision + 1) },
                { title: 'First', class: 'number', show: ({ first_position }) => count(first_position) },
                { title: 'Last', class: 'number', show: ({ last_position }) => count(last_position) },
              ]}
            />
          )
        }
      </Loaded>
      {pages.hasMore.value && (
        <More label="Show older streams" more={pages.more} disabled={pages.isReading.value} />
      )}
    </section>
  )
}
