// What a scrape says, read by the rules of the text format alone.
export type Sample = { name: string; labels: Record<string, string>; value: number }
export type Family = { type: string; help: string; samples: Sample[] }

const label = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"/g
const line =
  /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{((?:[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\["\\n])*",?)*)\})? (\S+)$/

/** Throws at the first line that is none. */
export const families = (text: string): Map<string, Family> => {
  const found = new Map<string, Family>()
  let current: Family | undefined
  let name = ''
  for (const each of text.split('\n')) {
    if (each === '') continue
    const [, word, of = '', rest = ''] = /^# (HELP|TYPE) (\S+) (.*)$/.exec(each) ?? []
    if (word === 'HELP') {
      if (found.has(of)) throw new Error(`${of} is there twice`)
      current = { type: '', help: rest, samples: [] }
      name = of
      found.set(of, current)
    } else if (word === 'TYPE') {
      if (of !== name || current === undefined) throw new Error(`${each} stands alone`)
      current.type = rest
    } else {
      const [, full = '', labels = '', value = ''] = line.exec(each) ?? []
      if (full === '' || current === undefined || !full.startsWith(name))
        throw new Error(`no sample: ${each}`)
      if (value !== 'Nan' && Number.isNaN(Number(value))) throw new Error(`no number: ${each}`)
      const pairs = [...labels.matchAll(label)].map(([, key, text]) => [key, text])
      current.samples.push({ name: full, labels: Object.fromEntries(pairs), value: Number(value) })
    }
  }
  return found
}

/** The one sample that has these labels. */
export const sampleOf = (
  found: Map<string, Family>,
  family: string,
  labels: Record<string, string> = {},
  suffix = '',
): number | undefined =>
  found
    .get(family)
    ?.samples.find(
      ({ name, labels: own }) =>
        name === family + suffix &&
        Object.keys(own).length === Object.keys(labels).length &&
        Object.entries(labels).every(([key, value]) => own[key] === value),
    )?.value

/** What is wrong with a histogram: buckets that go back, or that do not end with the count. */
export const histogramFaults = ({ samples }: Family): string[] => {
  const faults: string[] = []
  const groups = new Map<string, Sample[]>()
  for (const sample of samples) {
    const { le: _, ...rest } = sample.labels
    const key = JSON.stringify(rest)
    groups.set(key, [...(groups.get(key) ?? []), sample])
  }
  for (const [key, own] of groups) {
    const buckets = own.filter(({ name }) => name.endsWith('_bucket'))
    const count = own.find(({ name }) => name.endsWith('_count'))?.value
    const bounds = buckets.map(({ labels }) =>
      labels.le === '+Inf' ? Number.POSITIVE_INFINITY : Number(labels.le),
    )
    const rises = (numbers: number[]) => numbers.every((each, n) => n === 0 || each >= (numbers[n - 1] ?? 0))
    if (!rises(bounds) || bounds.at(-1) !== Number.POSITIVE_INFINITY) faults.push(`${key}: bounds ${bounds}`)
    if (!rises(buckets.map(({ value }) => value))) faults.push(`${key}: a bucket goes back`)
    if (buckets.at(-1)?.value !== count) faults.push(`${key}: the last bucket is not the count`)
    if (!own.some(({ name }) => name.endsWith('_sum'))) faults.push(`${key}: no sum`)
  }
  return faults
}
