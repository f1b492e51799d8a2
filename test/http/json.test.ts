import t from 'tap'
import { maxDifferentKeys, maxKeys, maxValues } from '../../src/contract/json/json-limits.ts'
import { Invalid, type Problem } from '../../src/contract/refusals.ts'
import { parseJson as parseBytes } from '../../src/http/body/json.ts'
import { maxProblems } from '../../src/http/request/problems.ts'
import fc from '../support/fast-check.ts'

const parseJson = (text: string) => parseBytes(Buffer.from(text))

function problemsOf(text: string): Problem[] {
  try {
    parseJson(text)
  } catch (error) {
    if (error instanceof Invalid) return error.problems
    throw error
  }
  return []
}
const places = (text: string) => problemsOf(text).map(({ loc, type }) => [...loc, type].join(' '))
const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)

t.test('reads any JSON value as JSON.parse does', async t => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 5 }), text => {
      fc.pre(!/__proto__/.test(text))
      t.same(parseJson(text), JSON.parse(text))
    }),
    { numRuns: 300 },
  )
})

t.test('says where malformed JSON breaks, if V8 knows', async t => {
  t.same(places('[1 2]'), ['body 3 json_invalid'])
  t.same(places('{"a":1,,}'), ['body 7 json_invalid'])
  t.same(places('[1'), ['body 2 json_invalid'])
  t.same(places('"abc'), ['body 4 json_invalid'])
  t.same(places('tru'), ['body 3 json_invalid'], 'the end of the input')
  t.same(places(''), ['body 0 json_invalid'])
  t.same(places('hello'), ['body 0 json_invalid'], 'V8 gives no offset here')
  t.match(problemsOf('[1 2]'), [{ msg: /^JSON decode error: Expected ',' or '\]'/ }])
})

t.test('takes no offset from the text of the caller', async t => {
  t.same(places('x in JSON at position 9'), ['body 0 json_invalid'])
})

t.test('refuses what JSON does not have', async t => {
  for (const text of ['NaN', "{'a':1}", '[1,]', '01', '\ufeff{}', '"\n"', '{"a":1}x', 'undefined']) {
    t.match(places(text), [/json_invalid$/], text)
  }
})

t.test('lets 64 levels pass and not 65', async t => {
  t.same(places(nested(64)), [])
  t.same(places(nested(65)), ['body json_too_deep'])
  t.same(places(`${'{"a":'.repeat(65)}1${'}'.repeat(65)}`), ['body json_too_deep'])
  t.same(places(`${'[{"a":'.repeat(32)}1${'}]'.repeat(32)}`), [])
  t.same(places(`[${`${nested(63)},`.repeat(100)}1]`), [], 'siblings do not add up')
})

t.test('refuses a million levels without running out of stack', async t => {
  t.same(places(nested(1_000_000)), ['body json_too_deep'])
  t.same(places('['.repeat(1_000_000)), ['body json_too_deep'])
})

t.test('does not count brackets in strings', async t => {
  const brackets = '['.repeat(100)
  t.same(parseJson(JSON.stringify([brackets])), [brackets])
  t.same(parseJson(JSON.stringify([`\\"${brackets}`, '\\', brackets])), [`\\"${brackets}`, '\\', brackets])
  t.same(places(`["\\\\",${nested(64)}]`), ['body json_too_deep'], 'an escaped backslash ends no later')
  t.same(places(`["\\"",${nested(63)}]`), [])
  t.match(places(`["${brackets}`), [/json_invalid$/], 'a string without an end')
})

t.test('finds the end of any text, however its quotes and backslashes stand', t => {
  const piece = fc.constantFrom('\\', '"', 'a', 'x'.repeat(60), '\u0000', 'ü', '[', ',')
  const texts = fc.array(
    fc.array(piece, { maxLength: 40 }).map(pieces => pieces.join('')),
    { maxLength: 5 },
  )
  fc.assert(
    fc.property(texts, list => {
      t.same(places(`[${JSON.stringify(list)},${nested(62)}]`), [])
      t.same(places(`[${JSON.stringify(list)},${nested(64)}]`), ['body json_too_deep'])
    }),
    { numRuns: 300 },
  )
  t.end()
})

t.test('scans a string of escaped quotes in linear time', async t => {
  const text = JSON.stringify('\\"'.repeat(2_000_000))
  const start = performance.now()
  parseJson(text)
  t.ok(performance.now() - start < 30_000, 'quadratic time would be hours')
})

t.test('lets a hundred thousand values pass and not one more', async t => {
  const list = (items: number) => `[${Array(items).fill('1').join(',')}]`
  t.same(places(list(maxValues)), [])
  t.same(places(list(maxValues + 1)), ['body too_long'])
  t.same(places(`[${list(maxValues)}]`), ['body too_long'], 'the values of all levels add up')
  t.same(
    places(
      `[${Array(maxValues / 2)
        .fill('{}')
        .join(',')}]`,
    ),
    [],
  )
  t.same(places(JSON.stringify(list(maxValues * 2))), [], 'commas of a text are no values')
})

t.test('lets an object have ten thousand keys and not one more', async t => {
  const object = (keys: number) => `{${Array.from({ length: keys }, (_, n) => `"k${n}":[1,2]`).join(',')}}`
  t.same(places(object(maxKeys)), [])
  t.same(places(object(maxKeys + 1)), ['body too_long'])
  t.same(places(`[${object(maxKeys)},${object(maxKeys)}]`), [], 'each object counts for itself')
  t.same(
    places(
      `[${Array(maxKeys + 1)
        .fill('1')
        .join(',')}]`,
    ),
    [],
    'a list has no keys',
  )
})

t.test('lets a body use twenty thousand different keys and not one more', async t => {
  const members = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, n) => `"k${from + n}":1`).join(',')
  const halves = (to: number) => `[{${members(0, maxKeys)}},{${members(maxKeys, to)}}]`
  t.same(places(halves(maxDifferentKeys)), [])
  t.same(
    places(`[${halves(maxDifferentKeys)},{"k1":1}]`),
    [],
    'a key that was used before is not a different one',
  )
  t.same(places(`[{"other":[${halves(maxDifferentKeys)}]}]`), ['body too_long'])
})

t.test('names the exact place of a __proto__ key, however it is written', async t => {
  t.same(places('{"metadata":{"__proto__":{"a":1}}}'), ['body metadata __proto__ value_error'])
  t.same(places('{"metadata":{"\\u005F_proto_\\u005f":1}}'), ['body metadata __proto__ value_error'])
  t.same(places('{"a":[0,{"__prot\\u006f__":1}],"__proto__":2}'), [
    'body a 1 __proto__ value_error',
    'body __proto__ value_error',
  ])
})

t.test('refuses a constructor with a prototype, and no other constructor', async t => {
  t.same(places('{"a":{"constructor":{"prototype":{}}}}'), ['body a constructor prototype value_error'])
  t.same(places('{"c\\u006fnstructor":{"\\u0070rototype":1}}'), ['body constructor prototype value_error'])
  t.same(places('{"constructor":{"name":1},"prototype":2}'), [])
  t.same(places('{"constructor":"prototype"}'), [])
  t.same(places('{"constructor":null}'), [])
  t.same(places('{"constructor":{"a":{"__proto__":1}}}'), ['body constructor a __proto__ value_error'])
})

t.test('minds only keys, not values', async t => {
  t.same(places('{"a":"__proto__","b":["constructor"]}'), [])
})

t.test('lists a bounded number of unsafe keys', async t => {
  t.equal(problemsOf(`[${'{"__proto__":1},'.repeat(5000)}1]`).length, maxProblems)
})

t.test('looks for numbers that JavaScript would change in linear time', async t => {
  const start = performance.now()
  parseJson(JSON.stringify(Array(40_000).fill('1'.repeat(299))))
  parseJson(JSON.stringify(Array(40_000).fill(',1.0,')))
  parseJson(`[${'1.0,'.repeat(90_000)}"${'\\\\'.repeat(1_000_000)}",${'9'.repeat(1_000_000)}]`)
  t.ok(performance.now() - start < 30_000, 'quadratic time would be hours')
})

t.test('takes the last of duplicate keys', async t => {
  t.same(parseJson('{"a":1,"a":2}'), { a: 2 })
})

t.test('takes lone surrogates and NUL', async t => {
  t.equal(parseJson('"\\ud800 \\u0000"'), '\ud800 \u0000')
})

t.test('a number that JavaScript would change keeps its text', async t => {
  for (const text of ['{"a":{"b":[1e999]}}', '{"a":{"b":[-1E+0400]}}', `{"a":{"b":[${'9'.repeat(400)}]}}`]) {
    t.equal(JSON.stringify(parseJson(text)), text)
  }
  t.same(parseJson('{"a":1e+300,"text":"1e999"}'), { a: 1e300, text: '1e999' })
})
