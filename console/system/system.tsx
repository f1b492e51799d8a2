// The state of the server, for operators: readiness, lag, quotas, version, and every metric.
import { useMemo } from 'preact/hooks'
import type { MetricSample } from '../../src/contract/responses.ts'
import { readList } from '../api/listed.ts'
import { place, setQuery } from '../api/router.ts'
import { api } from '../api/session.ts'
import { Facts } from '../ui/facts.tsx'
import { Loaded, Page } from '../ui/page.tsx'
import { useReading } from '../ui/reading.ts'
import { Table } from '../ui/table.tsx'
import { Word } from '../ui/word.tsx'
import { type Health, type Part, readHealth } from './health.ts'
import { Lines } from './lines.tsx'
import { partsOf } from './parts.ts'

// The past hour of the server in samples. The server keeps the samples; the page keeps them too, and asks for new ones.

const hourSeconds = 3600

const createHour = () => {
  let samples: readonly MetricSample[] = []
  /** Reads what is new. Rejects with ApiError. */
  return async (signal: AbortSignal): Promise<readonly MetricSample[]> => {
    const query = { after: samples.at(-1)?.at }
    const { found } = await readList<MetricSample>(api, '/metrics/past-hour', query, { signal })
    const known = [...samples, ...found]
    const newest = known.at(-1)?.at ?? 0
    samples = known.filter(({ at }) => at > newest - hourSeconds)
    return samples
  }
}

const everyMs = 2000

const PartOf = ({ part: { title, facts, trouble } }: { part: Part }) => (
  <section class={`panel side-part${trouble ? ' failing' : ''}`} aria-label={title}>
    <h2>
      {title} {trouble && <Word as="failed">{trouble}</Word>}
    </h2>
    <Facts of={facts} />
  </section>
)

/** Buckets and the details of Node's memory fill pages and answer no question of an operator. */
const isNoise = (name: string): boolean => /_bucket$|heap_space|_active_/.test(name)

type Line = { key: string; name: string; labels: string; value: number; help: string }
const linesOf = ({ metrics }: Health): Line[] =>
  [...metrics].flatMap(([name, { samples }]) =>
    isNoise(name)
      ? []
      : samples.map(({ labels, value }, n) => ({
          key: `${name} ${n}`,
          name,
          labels: Object.entries(labels)
            .map(([label, text]) => `${label}=${text}`)
            .join(', '),
          value,
          help: metrics.get(name.replace(/_(sum|count)$/, ''))?.help ?? '',
        })),
  )

const Metrics = ({ health }: { health: Health }) => {
  const text = place.value.query.get('metric') ?? ''
  const fitting = linesOf(health).filter(({ name, labels }) => `${name} ${labels}`.includes(text))
  return (
    <details class="metrics" open={text !== ''}>
      <summary>All metrics</summary>
      <search class="fields" aria-label="Filter the metrics">
        <label class="grow">
          <span class="unseen">Name</span>
          <input
            type="search"
            placeholder="Name or label"
            value={text}
            onInput={event => setQuery({ metric: event.currentTarget.value })}
          />
        </label>
      </search>
      <Table
        caption="Metrics"
        rows={fitting}
        keyOf={({ key }) => key}
        columns={[
          { title: 'Name', class: 'main', show: ({ name, help }) => <code title={help}>{name}</code> },
          { title: 'Labels', show: ({ labels }) => labels },
          { title: 'Value', class: 'number', show: ({ value }) => Number(value.toPrecision(6)) },
        ]}
      />
    </details>
  )
}

export const SystemView = () => {
  const readHour = useMemo(createHour, [])
  const read = async (signal: AbortSignal) => {
    const [health, samples] = await Promise.all([readHealth(signal), readHour(signal)])
    return { health, samples }
  }
  const reading = useReading('system', read, { everyMs })
  return (
    <Page title="System">
      <Loaded reading={reading} what="state of the server">
        {({ health, samples }) => (
          <>
            <Lines samples={samples} />
            <div class="parts">
              {partsOf(health).map(part => (
                <PartOf key={part.title} part={part} />
              ))}
            </div>
            <Metrics health={health} />
          </>
        )}
      </Loaded>
    </Page>
  )
}
