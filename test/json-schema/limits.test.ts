// How large and how deep schemas and values may be.
import t from 'tap'
import { checkerFor, nested } from './support.ts'

const { check, problemsOf } = checkerFor(t)
const deep = (levels: number): object => (levels === 1 ? {} : { not: deep(levels - 1) })

t.test('a schema may have 64 KiB of JSON text', async t => {
  const sized = (bytes: number) => ({ title: 'ü'.repeat((bytes - 12) / 2) })
  t.equal(Buffer.byteLength(JSON.stringify(sized(65536))), 65536)
  t.same(await problemsOf(sized(65536)), [])
  const problems = ['the schema is larger than 64 KiB']
  t.same(await problemsOf(sized(65538)), problems)
  t.same(await check(sized(65538), 1), { ok: false, problems })
})

t.test('a schema may be 32 levels deep', async t => {
  t.same(await problemsOf(deep(32)), [])
  const problems = ['the schema is nested deeper than 32 levels']
  t.same(await problemsOf(deep(33)), problems)
  t.same(await check(deep(33), 1), { ok: false, problems })
  t.same(await problemsOf({ const: nested(100_000) }), problems)
})

t.test('a value may have 1 MiB of JSON text', async t => {
  const largest = 1024 * 1024
  t.same(await check({ type: 'string' }, 'x'.repeat(largest - 2)), { ok: true })
  const problems = ['the value is larger than 1 MiB']
  t.same(await check({ type: 'string' }, 'x'.repeat(largest - 1)), { ok: false, problems })
  t.same(await check({ type: 'string' }, 'ü'.repeat(largest / 2)), { ok: false, problems })
})

t.test('what is not JSON is neither a schema nor a value', async t => {
  const circle: Record<string, unknown> = {}
  circle.again = circle
  for (const odd of [undefined, () => true, 1n, circle]) {
    t.equal((await problemsOf(odd)).length, 1)
    t.same(await check(true, odd), { ok: false, problems: ['the value is not JSON'] })
  }
})

t.test('a large schema with thousands of properties can be used', async t => {
  const names = Array.from({ length: 2500 }, (_, i) => `p${i}`)
  const schema = { properties: Object.fromEntries(names.map(name => [name, { type: 'null' }])) }
  t.same(await check(schema, { p0: null, p2499: null }), { ok: true })
  t.same(await check(schema, { p1: 1, p2499: 2 }), {
    ok: false,
    problems: ['/p1 must be null', '/p2499 must be null'],
  })
})

t.test('large numbers in a schema cost nothing', async t => {
  const schema = { maxLength: 1e300, minItems: 1e300, maxProperties: 1e300, contains: {}, minContains: 1e300 }
  t.same(await check(schema, 'x'), { ok: true })
  t.equal((await check(schema, [1])).ok, false)
})
