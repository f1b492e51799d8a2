// Values against schemas: what fits, and what is said about what does not.
import t from 'tap'
import { trusted } from '../../src/json-schema/checker.ts'
import { checkerFor } from './support.ts'

const { check, problemsOf } = checkerFor(t)
const problems = async (schema: unknown, value: unknown): Promise<string[]> => {
  const verdict = await check(schema, value)
  return verdict.ok ? [] : verdict.problems
}

const report = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  properties: {
    title: { type: 'string', minLength: 1, maxLength: 10 },
    price: { type: 'number', multipleOf: 0.01, minimum: 0 },
    tags: { type: 'array', items: { enum: ['red', 'green', 3] }, uniqueItems: true },
    kind: { const: 'report' },
    code: { type: ['string', 'null'], pattern: '^[A-Z]{3}$' },
  },
  required: ['title', 'price'],
  additionalProperties: false,
}

t.test('a value that fits is ok', async t => {
  const value = { title: 'Über 😀', price: 19.99, tags: ['red', 3], kind: 'report', code: null }
  t.same(await check(report, value), { ok: true })
  t.same(await problemsOf(report), [])
})

t.test('every problem of a value is named by its path and in words', async t => {
  const value = { price: '1', tags: ['red', 'blue', 'red'], kind: 'letter', code: 'abc', 'odd/one': 1 }
  t.same(
    new Set(await problems(report, value)),
    new Set([
      'the value must have the property "title"',
      'the value must not have the property "odd/one"',
      '/price must be number',
      '/tags/1 must be one of "red", "green", 3',
      '/tags must not have the same item twice',
      '/kind must be "report"',
      '/code must match the pattern "^[A-Z]{3}$"',
    ]),
  )
  t.same(await problems(report, []), ['the value must be object'])
  t.same(await problems({ type: ['string', 'null'] }, 1), ['the value must be string or null'])
  t.same(await problems({ propertyNames: { maxLength: 2 } }, { abc: 1 }), [
    'the value: the name "abc" must not have more than 2 characters',
    'the value must not have a property named "abc"',
  ])
  t.same(await problems({ properties: { a: false } }, { a: 1 }), ['/a is not allowed'])
  t.same(await problems(false, 1), ['the value is not allowed'])
  t.same(await problems({ items: { not: { type: 'string' } } }, ['x']), [
    '/0 must not fit the schema in "not"',
  ])
  t.same(await problems({ anyOf: [{ type: 'string' }, { minimum: 3 }] }, 1), [
    'the value must be string',
    'the value must be >= 3',
    'the value must match a schema in anyOf',
  ])
})

t.test('at most 20 problems are told, each of them short', async t => {
  const many = await problems({ items: { type: 'string' } }, Array(1000).fill(1))
  t.equal(many.length, 20)
  t.equal(many[19], '/19 must be string')
  const long = await problems(
    { enum: Array.from({ length: 300 }, (_, i) => `${i}${'x'.repeat(100)}`) },
    'y'.repeat(1000),
  )
  t.match(long[0], /^the value must be one of .{200,230}…$/)
  const deep = await problems({ additionalProperties: { type: 'string' } }, { ['n'.repeat(5000)]: 1 })
  t.match(deep[0], /^\/n+… must be string$/)
})

t.test('a schema that is none has its problems named', async t => {
  t.same(await problemsOf({ properties: { a: { type: 'strin' } } }), [
    '/properties/a/type must be one of "array", "boolean", "integer", "null", "number", "object", "string"',
    '/properties/a/type must be array',
    '/properties/a/type must match a schema in anyOf',
  ])
  t.match(await problemsOf('string'), ['the schema must be object or boolean'])
  t.match(await problemsOf([]), ['the schema must be object or boolean'])
  t.match(await problemsOf(null), ['the schema must be object or boolean'])
  t.match(await problemsOf({ required: 'a' }), ['/required must be array'])
  t.match(await problemsOf({ items: [{}] }), ['/items must be object or boolean'])
  t.match(await problemsOf({ minimum: { $data: '/other' } }), ['/minimum must be number'])
  t.match(await problemsOf({ pattern: '(' }), [/regular expression.*Unterminated group/])
  t.match(await problemsOf({ patternProperties: { '[': true } }), [
    /regular expression.*Unterminated character class/,
  ])
})

t.test('a check by a schema that is none is not ok and says so', async t => {
  t.same(await problems({ pattern: '(' }, 'x'), [
    'the schema cannot be used: Invalid regular expression: /(/u: Unterminated group',
  ])
})

t.test('a boolean is a schema', async t => {
  t.same(await problemsOf(true), [])
  t.same(await check(true, { any: 'thing' }), { ok: true })
  t.equal((await check(false, 1)).ok, false)
})

t.test('$schema may be 2020-12, draft-07 or left out, and nothing else', async t => {
  const tuple = { prefixItems: [{ type: 'string' }] }
  for (const $schema of [
    'https://json-schema.org/draft/2020-12/schema',
    'https://json-schema.org/draft/2020-12/schema#',
    'http://json-schema.org/draft-07/schema#',
    'http://json-schema.org/draft-07/schema',
    'http://json-schema.org/schema',
  ]) {
    t.same(await problemsOf({ $schema, ...tuple }), [], $schema)
    t.same(await problems({ $schema, ...tuple }, [1]), ['/0 must be string'], 'by the rules of 2020-12')
  }
  const wanted = ['/$schema must be "https://json-schema.org/draft/2020-12/schema" or left out']
  for (const $schema of ['http://json-schema.org/draft-04/schema#', 'https://example.com/mine', '']) {
    t.same(await problemsOf({ $schema }), wanted, $schema)
  }
  t.match(await problemsOf({ $schema: 1 }), [/must be .*2020-12/])
})

t.test('what draft-07 calls definitions and dependencies still counts', async t => {
  const schema = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    definitions: { name: { type: 'string' } },
    properties: { a: { $ref: '#/definitions/name' } },
    dependencies: { a: ['b'], c: { required: ['d'] } },
  }
  t.same(await check(schema, { a: 'x', b: 1 }), { ok: true })
  t.same(await problems(schema, { a: 1, c: 1 }), [
    'the value must have property b when property a is present',
    'the value must have the property "d"',
    '/a must be string',
  ])
})

t.test('formats, and keywords that 2020-12 does not know, change nothing', async t => {
  for (const schema of [
    { type: 'string', format: 'email' },
    { type: 'string', format: 'no-such-format', 'x-mine': { type: 'number' } },
    { contentSchema: { $ref: 'https://example.com/never-looked-at' }, contentMediaType: 'application/json' },
  ]) {
    t.same(await check(schema, 'x'), { ok: true }, JSON.stringify(schema))
  }
  t.same(await problems({ const: { $data: '/x' } }, 1), ['the value must be {"$data":"/x"}'])
})

t.test('numbers are taken as they are written', async t => {
  const cases: [value: number, of: number, ok: boolean][] = [
    [19.99, 0.01, true],
    [19.995, 0.01, false],
    [0.3, 0.1, true],
    [1e21, 0.1, true],
    [1e-7, 1e-8, true],
    [1e-8, 1e-7, false],
    [-9, 3, true],
    [7, 3, false],
    [0, 0.5, true],
  ]
  for (const [value, multipleOf, ok] of cases) {
    t.equal((await check({ multipleOf }, value)).ok, ok, `${value} of ${multipleOf}`)
  }
  t.same(await problems({ multipleOf: 0.5 }, 0.7), ['the value must be a multiple of 0.5'])
  t.same(await check({ type: 'integer', const: 1 }, 1.0), { ok: true })
})

t.test('equal means equal as JSON', async t => {
  t.same(await check({ const: { a: 1, b: [{}] } }, { b: [{}], a: 1 }), { ok: true })
  t.equal((await check({ const: { a: 1 } }, { a: '1' })).ok, false)
  t.equal((await check({ enum: [[1], 'x', null] }, [1])).ok, true)
  t.equal((await check({ enum: [[1], 'x', null] }, '[1]')).ok, false)
  t.equal((await check({ enum: [] }, 1)).ok, false)
  t.equal((await check({ uniqueItems: true }, [1, '1', true, 'true', null, 'null', {}, []])).ok, true)
  t.equal(
    (
      await check({ uniqueItems: true }, [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ])
    ).ok,
    false,
  )
  t.equal((await check({ uniqueItems: false }, [1, 1])).ok, true)
})

t.test('our own schemas are compiled once, at the first check', async t => {
  const fits = trusted(report)
  t.same(fits({ title: 'x', price: 1 }), { ok: true })
  t.same(fits({ title: 'x', price: -1 }), { ok: false, problems: ['/price must be >= 0'] })
  t.throws(() => trusted({ type: 'nonsense' })(1), { message: /^\/type must be/ })
})
