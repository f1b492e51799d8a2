// JSON that is made piece by piece is the same text.

import t from 'tap'
import { canonical } from '../../src/contract/json/canonical.ts'
import { canonicalPieces, jsonPieces } from '../../src/contract/json/json-pieces.ts'
import fc from '../support/fast-check.ts'

const joined = (pieces: Iterable<string>): string => [...pieces].join('')
const long = (text: string): string => text.repeat(Math.ceil(700_000 / text.length))
const large = {
  b: [long('ä"\\\n'), { z: 1, a: long('x😀'), none: undefined }, [], null],
  a: { text: long('\ud800y'), list: Array(100_000).fill({ n: 1 }) },
}

t.test('a long value has the text of JSON.stringify, in many pieces', async t => {
  const pieces = [...jsonPieces(large)]
  t.ok(pieces.length > 10, `${pieces.length} pieces`)
  t.ok(joined(pieces) === JSON.stringify(large))
})

t.test('a long value has its canonical text', async t => {
  const stored = JSON.parse(JSON.stringify(large))
  t.ok(joined(canonicalPieces(stored)) === canonical(stored))
})

t.test('so has a text whose pairs of code units stand at every place', async t => {
  for (const n of [0, 1, 2, 3]) {
    const text = `${'x'.repeat(n)}${'😀'.repeat(300_000)}`
    t.ok(joined(jsonPieces(text)) === JSON.stringify(text), `after ${n} others`)
  }
})

t.test('so has any value with a long text beside it', async t => {
  const rest = 'x'.repeat(300_000)
  fc.assert(
    fc.property(fc.jsonValue(), value => {
      t.ok(joined(jsonPieces([value, rest])) === JSON.stringify([value, rest]))
      t.ok(joined(canonicalPieces([value, rest])) === canonical([value, rest]))
    }),
    { numRuns: 50 },
  )
})
