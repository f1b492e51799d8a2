// What the server did in the past hour, as lines.
import type { MetricSample } from '../../src/contract/responses.ts'
import { Line } from '../ui/line.tsx'
import { count, duration, moment } from '../ui/time.tsx'

const rate = (value: number): string =>
  value < 10 ? String(Number(value.toFixed(1))) : count(Math.round(value))
const megabytes = (bytes: number): string => `${count(Math.round(bytes / 1024 / 1024))} MiB`

type Wanted = { title: string; of: (sample: MetricSample) => number; show: (value: number) => string }
const lines: readonly Wanted[] = [
  { title: 'Events a second', of: each => each.events_per_second, show: rate },
  { title: 'Requests a second', of: each => each.requests_per_second, show: rate },
  { title: 'Lists are behind by', of: each => each.lag_positions, show: count },
  { title: 'Memory', of: each => each.memory_bytes, show: megabytes },
  {
    title: 'Event loop is late by, p99',
    of: each => each.loop_p99_seconds,
    show: value => duration(value * 1000),
  },
]

const LineOf = ({
  samples,
  line: { title, of, show },
}: {
  samples: readonly MetricSample[]
  line: Wanted
}) => {
  const values = samples.map(of)
  const newest = values.at(-1) ?? 0
  const highest = values.reduce((most, value) => Math.max(most, value), 0)
  return (
    <section class="panel side-part" aria-label={title}>
      <h2>{title}</h2>
      <Line
        label={`${title}: now ${show(newest)}, at most ${show(highest)}`}
        values={values}
        about={n => (
          <>
            <b>{show(values[n ?? values.length - 1] ?? 0)}</b>{' '}
            <small>{n === undefined ? 'now' : moment((samples[n]?.at ?? 0) * 1000)}</small>
            <small class="at-most">at most {show(highest)}</small>
          </>
        )}
      />
    </section>
  )
}

export const Lines = ({ samples }: { samples: readonly MetricSample[] }) => {
  const [first, last] = [samples[0], samples.at(-1)]
  if (first === undefined || last === undefined)
    return <p class="hint">The lines begin a few seconds after the start of the server.</p>
  return (
    <section aria-labelledby="past-hour">
      <h2 id="past-hour">
        The past hour{' '}
        <small>
          the lines cover {duration((last.at - first.at) * 1000)}; the server keeps them in memory
        </small>
      </h2>
      <div class="parts lines">
        {lines.map(line => (
          <LineOf key={line.title} samples={samples} line={line} />
        ))}
      </div>
    </section>
  )
}
