// The streams of the export, when it has several.
import { hrefOf } from '../api/router.ts'
import { Empty } from '../ui/notice.tsx'
import { Table } from '../ui/table.tsx'
import { count, moment } from '../ui/time.tsx'
import { type PageEvent, streams, tried } from './content.ts'
import { pathOf } from './places.ts'

const most = 1000

/** The message of the user in the first event of a task; empty when there is none. */
const questionIn = ([first]: readonly PageEvent[]): string => {
  const said = tried(() => {
    type Created = { request?: { user_message_content?: unknown } }
    return (JSON.parse(first?.payload ?? '{}') as Created).request?.user_message_content
  })
  return typeof said === 'string' ? said.slice(0, 120) : ''
}

const began = ([first]: readonly PageEvent[]): string => {
  const ms = Date.parse(first?.known.time ?? '')
  return Number.isNaN(ms) ? '' : moment(ms)
}

export const StreamList = () => {
  if (streams.size === 0) return <Empty isPage title="This page holds no events" />
  return (
    <main class="page">
      <header class="page-head">
        <h1>Histories</h1>
        <small>{count(streams.size)}</small>
      </header>
      <Table
        caption="Histories"
        rows={[...streams].slice(0, most)}
        keyOf={([stream]) => stream}
        columns={[
          {
            title: 'History',
            class: 'main',
            show: ([stream, events]) => (
              <>
                <a href={hrefOf(pathOf(stream))}>{questionIn(events) || stream}</a>
                {questionIn(events) !== '' && <small class="stream-name">{stream}</small>}
              </>
            ),
          },
          { title: 'Last event', show: ([, events]) => events.at(-1)?.known.type },
          { title: 'Events', class: 'number', show: ([, events]) => count(events.length) },
          { title: 'Began', class: 'less', show: ([, events]) => began(events) },
        ]}
      />
      {streams.size > most && <p class="hint">{count(streams.size - most)} more are not listed.</p>}
    </main>
  )
}
