// Small schemas are checked on the main thread: only those that cannot take long, and with the same words.

import t from 'tap'
import { createPlainChecks, isPlain } from '../../src/json-schema/plain.ts'
import fc from '../support/fast-check.ts'
import { catastrophe, checkerFor, doubling } from './support.ts'

const move = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  properties: { direction: { type: 'string', enum: ['north', 'east'] }, by: { type: 'integer', minimum: 1 } },
  required: ['direction'],
  additionalProperties: false,
}

/** The problems that are found here after so many checks that the schema is compiled. */
const problemsHere = (schema: unknown, value: unknown): string[] | undefined => {
  const check = createPlainChecks()
  const texts = [JSON.stringify(schema), JSON.stringify(value)] as const
  for (let n = 0; n < 15; n++) t.equal(check(...texts), undefined)
  return check(...texts)
}

t.test('schemas whose time is not bounded are never checked here, at any depth', async t => {
  t.ok(isPlain(move))
  const slow: Record<string, object | boolean> = {
    pattern: catastrophe.schema,
    patternProperties: { patternProperties: { '^(a+)+$': true } },
    propertyNames: { propertyNames: catastrophe.schema },
    reference: { $ref: '#' },
    'dynamic reference': { $dynamicRef: '#' },
    doubling: doubling(20, { type: 'string' }),
    anyOf: { anyOf: [move, move] },
    condition: { if: move },
    uniqueItems: { uniqueItems: true },
    contains: { contains: move },
    'an enum of objects': { enum: [{ a: 1 }] },
    'a constant object': { const: [1] },
    id: { $id: 'x' },
    'a keyword of nobody': { surprise: 1 },
    'unevaluated properties': { unevaluatedProperties: false },
  }
  for (const [name, schema] of Object.entries(slow)) {
    t.notOk(isPlain(schema), name)
    t.notOk(isPlain({ properties: { a: { items: schema } } }), `${name}, deeper`)
    t.notOk(isPlain({ additionalProperties: schema }), `${name}, below other names`)
    t.equal(problemsHere(schema, 'a'), undefined)
  }
})

t.test('nothing large is checked here', async t => {
  t.same(problemsHere(move, { direction: 'east' }), [])
  t.equal(problemsHere({ description: 'x'.repeat(2048) }, 1), undefined, 'a long schema')
  const many = Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`p${n}`, { type: 'string' }]))
  t.equal(problemsHere({ properties: many }, {}), undefined, 'a schema of many keywords')
  t.equal(problemsHere(move, { direction: 'x'.repeat(2000) }), undefined, 'a long value')
})

t.test('a schema that cannot be used is left to the thread', async t => {
  t.equal(problemsHere({ type: 'colour' }, 1), undefined)
  t.equal(problemsHere({ $schema: 'https://example.com/other' }, 1), undefined)
})

t.test('the sixteenth check says what the first one said', async t => {
  const { check } = checkerFor(t)
  const scalar = fc.oneof(
    fc.integer({ min: -3, max: 3 }),
    fc.constantFrom('a', 'bcd', '', '__proto__', null, true),
  )
  const leaf = fc.record(
    {
      type: fc.constantFrom('string', 'integer', 'object', 'array', ['null', 'number']),
      minimum: fc.integer({ min: -2, max: 2 }),
      maxLength: fc.integer({ min: 0, max: 2 }),
      enum: fc.uniqueArray(scalar, { minLength: 1, maxLength: 3 }),
      const: scalar,
    },
    { requiredKeys: [] },
  )
  const names = fc.constantFrom('a', 'b', 'toString', '__proto__')
  const { schema } = fc.letrec<{ schema: unknown }>(tie => ({
    schema: fc.oneof(
      { maxDepth: 3 },
      leaf,
      fc.boolean(),
      fc.record(
        {
          properties: fc.dictionary(names, tie('schema'), { maxKeys: 2 }),
          required: fc.uniqueArray(names, { maxLength: 2 }),
          additionalProperties: tie('schema'),
          items: tie('schema'),
          minItems: fc.integer({ min: 0, max: 2 }),
        },
        { requiredKeys: [] },
      ),
    ),
  }))
  const { value } = fc.letrec<{ value: unknown }>(tie => ({
    value: fc.oneof(
      { maxDepth: 3 },
      scalar,
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(names, tie('value'), { maxKeys: 3 }),
    ),
  }))
  await fc.assert(
    fc.asyncProperty(schema, value, async (schema, value) => {
      const verdict = await check(schema, value)
      const here = problemsHere(schema, value)
      if (here !== undefined) t.same(here, verdict.ok ? [] : verdict.problems)
    }),
    { numRuns: 200 },
  )
})

t.test('a check after the checker is closed rejects, also of a schema that is known here', async t => {
  const { check, close } = checkerFor(t)
  for (let n = 0; n < 20; n++) t.same(await check(move, { direction: 'east' }), { ok: true })
  await close()
  await t.rejects(check(move, { direction: 'east' }))
})
