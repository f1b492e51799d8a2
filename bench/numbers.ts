import { performance } from 'node:perf_hooks'
import { readJson } from '../src/contract/json/exact-json.ts'

export const about = 'reads JSON whose numbers keep their text, against JSON.parse and against a reviver'

const objects = (count: number, price: (n: number) => number) =>
  JSON.stringify(Array.from({ length: count }, (_, n) => ({ id: n, name: `n${n}`, price: price(n) })))
const uuid = '8b0c1e5e-1e55-4b5e-9e10-2f6d1e0a7c11'
const texts: Record<string, string> = {
  'an event': JSON.stringify({ task_id: uuid, input_ids: [uuid], created_at: 1764348236, metadata: {} }),
  'a delta': JSON.stringify({ item_id: uuid, delta: 'some text of a model, ' }),
  'a long text': JSON.stringify({ text: 'There are 12 of them: 3.5 in 2026, and more. '.repeat(3000) }),
  integers: JSON.stringify(Array.from({ length: 20_000 }, (_, n) => n)),
  objects: objects(2000, n => n / 4),
  'fractions of 17 digits': objects(2000, n => Math.sqrt(n)),
  'objects, one exact number': objects(2000, n => n / 4).replace('"id":1999', '"id":2512292042121000001'),
  'exact numbers only': `[${'2512292042121000001,'.repeat(5000)}1.0]`,
}

const json = JSON as unknown as {
  parse(text: string, revive: (key: string, value: unknown, from: { source?: string }) => unknown): unknown
  rawJSON(text: string): unknown
}
const withReviver = (text: string): unknown =>
  json.parse(text, (_key, value, { source }) =>
    typeof value === 'number' && source !== undefined && String(value) !== source
      ? json.rawJSON(source)
      : value,
  )

/** The shortest of many times, in microseconds: other work on the machine only makes times longer. */
const shortest = (text: string, read: (text: string) => unknown): number => {
  const times = Math.max(1, Math.floor(200_000 / text.length))
  let best = Number.POSITIVE_INFINITY
  for (let round = 0; round < 60; round++) {
    const begin = performance.now()
    for (let n = 0; n < times; n++) read(text)
    best = Math.min(best, (performance.now() - begin) / times)
  }
  return best * 1000
}

export const run = async (): Promise<void> => {
  console.log('                            characters   JSON.parse   readJson          with a reviver')
  for (const [name, text] of Object.entries(texts)) {
    const [plain = 0, ours = 0, revived = 0] = [JSON.parse, readJson, withReviver].map(read =>
      shortest(text, read),
    )
    const times = (figure: number) => `${(figure / plain).toFixed(2)}×`
    const columns = [`${text.length}`, `${plain.toFixed(1)} µs`, `${ours.toFixed(1)} µs ${times(ours)}`]
    console.log(
      `  ${name.padEnd(26)} ${columns.map(column => column.padStart(12)).join(' ')} ${times(revived).padStart(12)}`,
    )
  }
}
