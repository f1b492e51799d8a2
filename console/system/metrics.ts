// Reads the metrics of the server from the text format of Prometheus.

export type Sample = { labels: Record<string, string>; value: number }
export type Metrics = ReadonlyMap<string, { help: string; samples: readonly Sample[] }>

/** The labels between the braces, such as `status="queued"`. */
const labelsOf = (text: string): Record<string, string> =>
  Object.fromEntries(
    [...text.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, name = '', value = '']) => [
      name,
      value.replace(/\\(.)/g, (_, each: string) => (each === 'n' ? '\n' : each)),
    ]),
  )

export const readMetrics = (text: string): Metrics => {
  const metrics = new Map<string, { help: string; samples: Sample[] }>()
  const of = (name: string) => {
    const known = metrics.get(name) ?? { help: '', samples: [] }
    metrics.set(name, known)
    return known
  }
  for (const line of text.split('\n')) {
    const [, named, help = ''] = /^# HELP (\S+) (.*)$/.exec(line) ?? []
    if (named !== undefined) of(named).help = help
    const [, name, labels = '', value] = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)/.exec(line) ?? []
    if (name !== undefined) of(name).samples.push({ labels: labelsOf(labels), value: Number(value) })
  }
  return metrics
}

/** The sum of the samples that have these labels; undefined when the server has no such metric. */
export const sumOf = (
  metrics: Metrics,
  name: string,
  labels: Record<string, string> = {},
): number | undefined => {
  const fitting = (metrics.get(name)?.samples ?? []).filter(sample =>
    Object.entries(labels).every(([key, value]) => sample.labels[key] === value),
  )
  return fitting.length === 0 ? undefined : fitting.reduce((sum, { value }) => sum + value, 0)
}

/** The mean of a histogram; undefined while nothing was observed. */
export const meanOf = (metrics: Metrics, name: string): number | undefined => {
  const times = sumOf(metrics, `${name}_count`)
  const sum = sumOf(metrics, `${name}_sum`)
  return times === undefined || sum === undefined || times === 0 ? undefined : sum / times
}
