// A stream of the export that is no task, or whose content was erased: its events as they were stored.

import { useSignal } from '@preact/signals'
import { hrefOf } from '../api/router.ts'
import { Facts } from '../ui/facts.tsx'
import { readable } from '../ui/readable.ts'
import { count, moment, timeOfDay } from '../ui/time.tsx'
import { type Erasure, erasuresOf, isErased, type PageEvent } from './content.ts'

const atOnce = 200

const StoredEvent = ({ event }: { event: PageEvent }) => {
  const { position, known, payload, header } = event
  return (
    <details class="stored">
      <summary>
        <span class="number">{known.revision}</span>
        <b>{known.type}</b>
        <code class="brief">{isErased(event) ? 'erased' : payload?.slice(0, 160)}</code>
        <small title={moment(Date.parse(known.time))}>{timeOfDay(Date.parse(known.time))}</small>
      </summary>
      <div class="stored-body">
        <Facts
          of={[
            [
              'Position',
              <a key="position" href={hrefOf(`/proof/${position}`)}>
                {position}
              </a>,
            ],
            ['Time', known.time],
            ['Principal', known.principal],
          ]}
        />
        <h2>Payload</h2>
        <pre>{payload === null ? 'It was erased.' : readable(payload)}</pre>
        <h2>Header, from which the leaf is made</h2>
        <pre>{header}</pre>
      </div>
    </details>
  )
}

const Erased = ({ erasure, of }: { erasure: Erasure; of: readonly PageEvent[] }) => {
  const { from, to, by, data, event } = erasure
  const gone = of.filter(each => isErased(each) && from <= each.position && each.position <= to).length
  return (
    <p class="verdict wait">
      The content of {count(gone)} events was erased by {data.by} on {moment(Date.parse(event.known.time))} (
      {data.reason}), as position {by} of the log says. That they were stored, and when, is still proven.
    </p>
  )
}

export const StreamView = ({ stream, events }: { stream: string; events: readonly PageEvent[] }) => {
  const shown = useSignal(atOnce)
  return (
    <main class="page">
      <header class="page-head">
        <h1>{stream}</h1>
        <small>{count(events.length)} events</small>
      </header>
      {erasuresOf(stream).map(erasure => (
        <Erased key={erasure.by} erasure={erasure} of={events} />
      ))}
      <section class="panel stream" aria-label="Events">
        {events.slice(0, shown.value).map(event => (
          <StoredEvent key={event.position} event={event} />
        ))}
        {shown.value < events.length && (
          <button
            type="button"
            class="more"
            onClick={() => {
              shown.value += atOnce
            }}
          >
            Show later events
          </button>
        )}
      </section>
    </main>
  )
}
