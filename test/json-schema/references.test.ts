// References: what is found within a schema, what is not, and what would never end.
import t from 'tap'
import { checkerFor, nested } from './support.ts'

const { check, problemsOf } = checkerFor(t)
const fits = async (schema: unknown, value: unknown): Promise<boolean> => {
  t.same(await problemsOf(schema), [])
  return (await check(schema, value)).ok
}

t.test('a reference leads to a place, an anchor or an $id in the schema', async t => {
  const $defs = {
    'a/b~c': { type: 'string' },
    named: { $anchor: 'name', type: 'string' },
    other: { $id: 'https://example.com/other', type: 'string' },
  }
  for (const $ref of ['#/$defs/a~1b~0c', '#name', 'https://example.com/other']) {
    t.equal(await fits({ $defs, items: { $ref } }, ['x']), true, $ref)
    t.equal(await fits({ $defs, items: { $ref } }, [1]), false, $ref)
  }
})

t.test('a reference to anything else is a problem, and nothing is fetched', async t => {
  for (const $ref of [
    'https://example.com/schema.json',
    'http://127.0.0.1:1/',
    'file:///etc/passwd',
    '#/$defs/b',
  ]) {
    t.match(await problemsOf({ items: { $ref }, $defs: { a: {} } }), [/can't resolve reference/], $ref)
    t.equal((await check({ items: { $ref } }, [1])).ok, false)
  }
})

t.test('a schema may be recursive: a tree', async t => {
  const tree = {
    type: 'object',
    properties: { name: { type: 'string' }, children: { type: 'array', items: { $ref: '#' } } },
    required: ['name'],
  }
  const value = { name: 'a', children: [{ name: 'b', children: [{ name: 'c' }] }] }
  t.equal(await fits(tree, value), true)
  t.equal(await fits(tree, { name: 'a', children: [{ children: [] }] }), false)
})

t.test('a $dynamicRef leads to its $dynamicAnchor', async t => {
  const list = { $dynamicAnchor: 'node', type: ['array', 'number'], items: { $dynamicRef: '#node' } }
  t.equal(await fits(list, [1, [2]]), true)
  t.equal(await fits(list, [1, ['x']]), false)
})

t.test('a schema that leads back to itself for the same value ends as not ok', async t => {
  const verdict = await check({ $ref: '#' }, 1)
  t.equal(verdict.ok, false)
  t.equal((await check({ type: 'number' }, 1)).ok, true, 'and the next check is done')
})

t.test('a value that is nested too deeply for its schema is not ok', async t => {
  const verdict = await check({ items: { $ref: '#' } }, nested(100_000))
  t.ok(verdict.ok || /nested too deeply/.test(verdict.problems[0] ?? ''), verdict)
})
