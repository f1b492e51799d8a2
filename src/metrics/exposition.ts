// Writes the metrics in the format of Prometheus. The library prom-client provides the text format and the metrics of
// the process. The first scrape loads the library, because loading it would delay each start by 20 ms.
import type { Metric, Registry } from 'prom-client'
import type { Tally } from './tally.ts'

export type Labels = Record<string, string | number>
type Sample = { value: number; labels?: Labels; metricName?: string }
export type Family = {
  name: string
  help: string
  type: 'counter' | 'gauge' | 'histogram'
  /** Reads the values at each scrape. If `read` throws, the metric has no values. */
  read: () => Sample[]
}

type One = number | [labels: Labels, value: number][]
const samplesOf = (read: () => One) => (): Sample[] => {
  const given = read()
  return typeof given === 'number' ? [{ value: given }] : given.map(([labels, value]) => ({ labels, value }))
}
export const gauge = (name: string, help: string, read: () => One): Family => ({
  name,
  help,
  type: 'gauge',
  read: samplesOf(read),
})
export const counter = (name: string, help: string, read: () => One): Family => ({
  name,
  help,
  type: 'counter',
  read: samplesOf(read),
})

const bucketsOf = (name: string, labels: Labels, { bounds, counts, sum }: Tally): Sample[] => {
  let total = 0
  const buckets = counts.map((count, n) => {
    total += count
    return { metricName: `${name}_bucket`, labels: { ...labels, le: bounds[n] ?? '+Inf' }, value: total }
  })
  return [
    ...buckets,
    { metricName: `${name}_sum`, labels, value: sum },
    { metricName: `${name}_count`, labels, value: total },
  ]
}
export const histogram = (name: string, help: string, read: () => [Labels, Tally][]): Family => ({
  name,
  help,
  type: 'histogram',
  read: () => read().flatMap(([labels, tally]) => bucketsOf(name, labels, tally)),
})

const valuesOf = ({ read }: Family): Sample[] => {
  try {
    return read()
  } catch {
    return [] // when something is broken, the other metrics are needed even more
  }
}

export const createExposition = (families: Family[]) => {
  let loaded: Promise<Registry> | undefined
  const load = async (): Promise<Registry> => {
    const { collectDefaultMetrics, Registry } = await import('./prom-client.ts')
    const registry = new Registry()
    collectDefaultMetrics({ register: registry })
    for (const family of families) {
      const { name, help, type } = family
      // A registry uses only these fields of a metric, but its types allow only the library's own classes.
      const metric = { name, help, type, get: async () => ({ name, help, type, values: valuesOf(family) }) }
      registry.registerMetric(metric as unknown as Metric)
    }
    return registry
  }
  return async (): Promise<{ contentType: string; text: string }> => {
    loaded ??= load()
    const registry = await loaded
    return { contentType: registry.contentType, text: await registry.metrics() }
  }
}
