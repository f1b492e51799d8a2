import fc from '../support/fast-check.ts'
import { all, dataOf, numbered, onBothStores, streamOf, to } from './support.ts'

/** Own keys, their order and every value: the text says it all. */
const text = (data: unknown) => JSON.stringify(data)

const odd: Record<string, object> = {
  'no data': {},
  'empty things': { '': '', a: [], o: {}, n: null, f: false },
  NUL: { text: '\0', 'k\0y': 'a\0b', only: '\0\0' },
  'lone surrogates': { high: '\ud800', low: '\udc00', turned: '\udc00\ud800', '\ud8ab': 'as a key' },
  'pairs and marks': {
    pair: '😀',
    combined: 'e\u0301',
    composed: 'é',
    zwj: '👩‍👩‍👧',
    bom: '\ufeffx',
    ffff: '\uffff',
  },
  'the replacement character': { text: '\ufffd', twice: '\ufffd\ufffd' },
  'line ends': { text: '\r\n\n\r\u2028\u2029\t\v\f\b' },
  'quotes and slashes': { text: '"\\/\'`$ {}', sql: "'); DROP TABLE events; --", html: '</script>' },
  'keys of Object.prototype': JSON.parse(
    '{"__proto__":{"polluted":1},"constructor":{"prototype":1},"toString":"x","hasOwnProperty":null}',
  ),
  'keys like numbers': { b: 1, 2: 'two', 1: 'one', '-1': 0, '1.5': 0 },
  numbers: {
    largest: Number.MAX_VALUE,
    smallest: Number.MIN_VALUE,
    safe: Number.MAX_SAFE_INTEGER,
    beyond: 2 ** 63,
    negative: -(2 ** 53),
    fractions: [0.1, 1 / 3, 1e21, 1e-7, 5e-324],
  },
  'a list': [1, [2, [3]], { four: 4 }],
  depth: JSON.parse(`${'{"a":['.repeat(500)}1${']}'.repeat(500)}`),
  'a text of a megabyte': { text: 'ä\0😀x'.repeat(150_000) },
}

onBothStores('what is read back is what was given', async (t, { log, reopened }) => {
  const answers = await Promise.all(
    Object.entries(odd).map(([name, data]) => log.append([to(`task-${name}`, -1, data)])),
  )
  const again = await reopened()
  for (const [n, [name, data]] of Object.entries(odd).entries()) {
    const read = await streamOf(again, `task-${name}`)
    t.equal(read.length, 1)
    t.ok(text(read[0]?.data) === text(data), name)
    t.ok(text(answers[n]?.[0]?.data) === text(data), `${name}, as answered`)
  }
  const [event] = await streamOf(again, 'task-keys of Object.prototype')
  t.equal(
    (event?.data as { polluted?: unknown } | undefined)?.polluted,
    undefined,
    'a key named __proto__ is a key',
  )
})

onBothStores('any JSON is given back unchanged', async (t, { log }) => {
  const anyText = fc.string({ unit: fc.nat(0xffff).map(code => String.fromCharCode(code)), maxLength: 12 })
  const { tree } = fc.letrec(tie => ({
    tree: fc.oneof(
      { maxDepth: 4 },
      anyText,
      fc.double({ noNaN: true, noDefaultInfinity: true }).map(n => n + 0),
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie('tree'), { maxLength: 4 }),
      fc.dictionary(anyText, tie('tree'), { maxKeys: 4 }),
    ),
  }))
  const given = fc.sample(fc.record({ value: tree, key: anyText }), { numRuns: 300, seed: 7 })
  await log.append([to('a', -1, ...given)])
  const read = await streamOf(log, 'a')
  t.equal(read.length, given.length)
  for (const [n, { data }] of read.entries())
    if (text(data) !== text(given[n])) t.equal(text(data), text(given[n]))
})

onBothStores('the header says who, whose, where and why, in any letters', async (t, { log, reopened }) => {
  const header = {
    principal: 'tök\0en "1"\\',
    owner: '用户\ud83d\ude00',
    session_id: '\ud800 lone',
    correlation_id: 'task-ü\u2028',
    causation_id: "req';--",
  }
  const [answered] = await log.append([
    {
      ...to('a', -1),
      ...header,
      events: [{ type: 'Tested', schema_version: 3, data: {}, seq: 12, frames: 0 }],
    },
  ])
  const expected = {
    stream: 'a',
    revision: 0,
    type: 'Tested',
    schema_version: 3,
    time: '2026-01-01T00:00:00.000Z',
    ...header,
    build: 'test',
    seq: 12,
    frames: 0,
  }
  t.strictSame(answered?.header, expected, 'as answered')
  const [read] = await all(await reopened())
  const { digest, ...rest } = { ...read?.header } as Record<string, unknown>
  t.strictSame(rest, expected, 'as read')
  t.match(digest, /^[\w-]{43}$/)
})

onBothStores('an event without frames says nothing of frames', async (t, { log }) => {
  await log.append([to('a', -1, {})])
  for (const { header } of await all(log)) {
    t.notOk('seq' in header)
    t.notOk('frames' in header)
  }
})

onBothStores('what the caller changes after the call is not stored', async (t, { log }) => {
  const data = { list: [1], name: 'before' }
  const append = to('a', -1, data)
  const call = log.append([append])
  data.list.push(2)
  data.name = 'after'
  append.owner = 'somebody-else'
  append.events.push({ type: 'Late', schema_version: 1, data: {} })
  await call
  const [event, ...more] = await all(log)
  t.same(more, [])
  t.same(event?.data, { list: [1], name: 'before' })
  t.equal(event?.header.owner, 'user-1')
})

onBothStores('what a reader does to an event it has read is its own affair', async (t, { log }) => {
  await log.append([to('a', -1, ...numbered(3))])
  for (const event of await all(log)) Object.assign(event.data as object, { n: 'spoilt' })
  t.same(dataOf(await all(log)), numbered(3))
})
