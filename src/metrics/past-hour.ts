// Keeps what the server did in the past hour: a sample every few seconds, in memory, so that a page which is opened later
// can show it.
import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { World } from '../contract/ports.ts'
import type { MetricSample } from '../contract/responses.ts'
import type { RequestCounts } from './request-counts.ts'

/** Seconds between two samples. */
export const sampleSeconds = 5
const mostSamples = 3600 / sampleSeconds
/** How often the delay of the event loop is measured, in milliseconds. A wakeup that is on time is delayed by nothing. */
const lookMs = 20

type Deps = {
  world: Pick<World, 'clock' | 'timers'>
  head: () => number
  lag: () => number
  requests: Pick<RequestCounts, 'ended'>
}

const requestsIn = ({ ended }: Deps['requests']): number => {
  let sum = 0
  for (const { tally } of ended.values()) for (const count of tally.counts) sum += count
  return sum
}

export const samplePastHour = ({ world: { clock, timers }, head, lag, requests }: Deps) => {
  const samples: MetricSample[] = []
  const delay = monitorEventLoopDelay({ resolution: lookMs })
  delay.enable()
  const counted = () => ({ at: clock.now(), events: head(), requests: requestsIn(requests) })
  let last = counted()
  const sample = () => {
    const now = counted()
    const seconds = Math.max(0.001, (now.at - last.at) / 1000)
    const rate = (of: 'events' | 'requests') => Number(((now[of] - last[of]) / seconds).toFixed(2))
    samples.push({
      at: Math.floor(now.at / 1000),
      events_per_second: rate('events'),
      requests_per_second: rate('requests'),
      lag_positions: lag(),
      memory_bytes: process.memoryUsage.rss(),
      loop_p99_seconds: Math.max(0, Math.round(delay.percentile(99) / 1e6 - lookMs)) / 1000,
    })
    if (samples.length > mostSamples) samples.shift()
    delay.reset()
    last = now
  }
  const stop = timers.every(sampleSeconds * 1000, sample)
  return {
    /** The samples after a time in seconds, oldest first. */
    after: (time: number): MetricSample[] => samples.filter(({ at }) => at > time),
    stop(): void {
      stop()
      delay.disable()
    },
  }
}
export type PastHour = ReturnType<typeof samplePastHour>
