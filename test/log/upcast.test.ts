import t, { type Test } from 'tap'
import type { Header } from '../../src/contract/stored.ts'
import { DamagedEvent } from '../../src/contract/stored.ts'
import { decode } from '../../src/log/decode.ts'
import { memoryStore } from '../../src/log/memory-store.ts'
import type { Row } from '../../src/log/store.ts'
import { type Upcasters, upcast } from '../../src/log/upcast.ts'
import { openOn, to } from './support.ts'

type Shape = Record<string, unknown>
/** 1: one name; 2: names in a list; 3: the list has a language, from the header. */
const table: Upcasters = {
  Named: {
    1: data => ({ names: [(data as Shape).name] }),
    2: (data, { owner }) => ({ ...(data as Shape), of: owner }),
  },
}

const stored = async (t: Test, type: string, version: number, data: object): Promise<Row> => {
  const store = memoryStore()
  const log = await openOn(t, store)
  await log.append([{ ...to('a', -1), events: [{ type, schema_version: version, data }] }])
  const [row] = store.page(0, 1)
  if (row === undefined) throw new Error('nothing stored')
  return row
}

t.test('an old event is lifted step by step to the shape of today', async t => {
  t.same(decode(await stored(t, 'Named', 1, { name: 'Ada' }), table).data, { names: ['Ada'], of: 'user-1' })
  t.same(decode(await stored(t, 'Named', 2, { names: [] }), table).data, { names: [], of: 'user-1' })
})

t.test('an event of today, and one of another type, are left as they are', async t => {
  t.same(decode(await stored(t, 'Named', 3, { name: 'Ada' }), table).data, { name: 'Ada' })
  t.same(decode(await stored(t, 'Other', 1, { name: 'Ada' }), table).data, { name: 'Ada' })
  t.same(decode(await stored(t, 'Named', 9, { name: 'Ada' }), table).data, { name: 'Ada' }, 'from the future')
})

t.test('a type named like a member of every object has no upcaster', async t => {
  for (const type of ['constructor', 'toString', '__proto__']) {
    t.same(decode(await stored(t, type, 1, { n: 1 }), table).data, { n: 1 }, type)
  }
})

t.test('the stored text is not touched, nor is the header', async t => {
  const row = await stored(t, 'Named', 1, { name: 'Ada' })
  const before = { ...row }
  const { header } = decode(row, table)
  t.same(row, before)
  t.equal(header.schema_version, 1, 'the version is the one that was stored')
  t.same(header, JSON.parse(row.header))
})

t.test('an event is checked against its hashes before it is lifted', async t => {
  const row = await stored(t, 'Named', 1, { name: 'Ada' })
  let lifted = 0
  const counting: Upcasters = { Named: { 1: () => lifted++ } }
  for (const damage of [{ payload: '{"name":"Eve"}' }, { salt: 'x' }, { leaf: 'x' }, { revision: 4 }]) {
    try {
      decode({ ...row, ...damage }, counting)
      t.fail('must throw')
    } catch (error) {
      t.ok(error instanceof DamagedEvent)
    }
  }
  t.equal(lifted, 0)
  decode(row, counting)
  t.equal(lifted, 1)
})

t.test('steps run in order, each once, and begin at the stored version', t => {
  const ran: number[] = []
  const step = (version: number) => (data: unknown) => {
    ran.push(version)
    return [data, version]
  }
  const steps: Upcasters = { Named: { 1: step(1), 2: step(2), 3: step(3), 5: step(5) } }
  const header = (version: number) => ({ type: 'Named', schema_version: version }) as Header
  t.same(upcast(header(2), 'x', steps), [['x', 2], 3])
  t.same(ran, [2, 3], 'up to the first version without a step')
  t.same(upcast(header(1), 'x', steps), [[['x', 1], 2], 3])
  t.equal(upcast(header(4), 'x', steps), 'x')
  t.equal(upcast(header(1), 'x', {}), 'x')
  t.end()
})
