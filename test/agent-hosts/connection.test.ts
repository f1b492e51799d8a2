// The conversation with a host: what it is sent, what is believed of what it says, and what ends it.
import t from 'tap'
import { type Connection, createConnection, type HeldLease } from '../../src/agent-hosts/connection.ts'
import type { HostHello } from '../../src/contract/agent-protocol.ts'
import type { LeaseEnd } from '../../src/contract/code-agent.ts'
import { settle } from '../support/world.ts'
import { fakeTask } from './support/task.ts'

const hello = { type: 'hello', protocol: 1, agents: [{ name: 'good', kind: 'function' }] }
const tool = (n: number) => ({ n, do: 'tool', name: 'find', arguments: {}, digest: 'd' })

const given = ({ accepts = true } = {}) => {
  const sent: Record<string, unknown>[] = []
  const lengths: number[] = []
  let parts = ''
  const ends: LeaseEnd[] = []
  const hellos: HostHello[] = []
  const reading: boolean[] = []
  let freed = 0
  const connection: Connection = createConnection({
    send(text) {
      lengths.push(text.length)
      const message = JSON.parse(text)
      if (message.type !== 'part') return void sent.push(message)
      parts += message.text
      if (message.last === true) sent.push(JSON.parse(parts))
      if (message.last === true) parts = ''
    },
    pause: () => void reading.push(false),
    resume: () => void reading.push(true),
    hello(said) {
      hellos.push(said)
      const names = said.agents.map(({ name }) => name)
      return accepts
        ? { agents: names, refused: [] }
        : { agents: [], refused: names.map(name => ({ name, reason: 'it is taken' })) }
    },
    broken: end => void ends.push(end),
    stopping: () => {},
    freed: () => void freed++,
    heard: () => {},
    looksUntilHeard: 2,
  })
  /** Begins the lease of a task, as a host with a free slot would. */
  const begin = (options: Parameters<typeof fakeTask>[1] = {}) => {
    let held: HeldLease | undefined
    const task = fakeTask(
      {
        lease: (_, listener) => {
          queueMicrotask(() => {
            held = connection.begin(listener, '2')
          })
          return {
            results: results => held?.results(results),
            run: n => held?.run(n),
            rests() {},
            stop: reason => held?.stop(reason),
          }
        },
      },
      { again: false, ...options },
    )
    return { task, id: () => String(sent.findLast(({ type }) => type === 'begin')?.lease) }
  }
  const hear = (message: unknown) =>
    connection.hear(Buffer.from(typeof message === 'string' ? message : JSON.stringify(message)))
  return { connection, hear, sent, lengths, ends, hellos, reading, begin, freed: () => freed }
}
const leased = async (options: Parameters<typeof fakeTask>[1] = {}) => {
  const all = given()
  all.hear(hello)
  const { task, id } = all.begin(options)
  await settle()
  const own = id()
  const turn = (fields: object) => all.hear({ type: 'turn', lease: own, seen: 0, moves: [], ...fields })
  return { ...all, task, id: own, turn }
}

t.test('a host is welcomed by the names that are accepted, and a host without one is sent away', async t => {
  const { hear, sent, hellos, ends } = given()
  hear({ ...hello, future: 1, slots: null })
  t.same(sent, [{ type: 'welcome', agents: ['good'], refused: [] }])
  t.match(hellos, [{ agents: [{ name: 'good' }] }])
  t.same(ends, [])
  const other = given({ accepts: false })
  other.hear(hello)
  t.same(other.sent, [{ type: 'welcome', agents: [], refused: [{ name: 'good', reason: 'it is taken' }] }])
  t.match(other.ends, [{ why: 'lost', message: /refused all agents.*good: it is taken/ }])
})

t.test('a lease begins with all that the code needs, and results and runs follow', async t => {
  const { sent, task, id, turn, freed } = await leased({ text: 'hi', vars: { KEY: 'secret' } })
  t.match(sent.at(-1), {
    ...{ type: 'begin', lease: id, session: 's1', agent: 'good', version: '2', seed: 'seed', at: 1000 },
    ...{ input: { text: 'hi' }, vars: { KEY: 'secret' }, entries: [], results: [] },
  })
  t.notOk('user' in (sent.at(-1) ?? {}), 'a host need not know whose task it is')
  t.same(task.versions, ['2'])
  turn({ moves: [tool(1), { n: 2, do: 'run', name: 'pay', digest: 'd', safe: null }] })
  t.match(task.turns, [
    {
      seen: 0,
      moves: [
        { n: 1, do: 'tool' },
        { n: 2, do: 'run' },
      ],
    },
  ])
  t.same(sent.at(-1), { type: 'run', lease: id, n: 2 })
  task.give(1)
  t.same(sent.at(-1), {
    ...{ type: 'results', lease: id },
    results: [{ n: 1, at: 2000, value: { text: 'found 1' } }],
  })
  turn({ seen: 1, moves: [{ do: 'ran', of: 2, value: { paid: true } }] })
  t.match(sent.at(-1), { results: [{ n: 2, value: { paid: true } }] })
  turn({ seen: 2, outcome: { answer: { sum: 3 } } })
  t.same(task.outcome(), { answer: { sum: 3 } })
  t.same(sent.at(-1), { type: 'stop', lease: id, reason: 'ended' })
  t.equal(freed(), 1)
  turn({ seen: 2, moves: [tool(3)] })
  t.equal(task.turns.length, 3, 'what comes for a lease that has ended is dropped')
})

t.test('a host that begins anew gets the entries and results, and counts on from them', async t => {
  const { connection, hear, task, sent, turn, begin } = await leased()
  turn({ moves: [tool(1), { n: 2, do: 'say', text: 'looking', digest: 'd' }] })
  task.give(1)
  const again = fakeTask(undefined)
  const { entries, results } = { ...again.listener.begin(), entries: task.entries, results: [] }
  connection.begin({ ...again.listener, begin: () => ({ ...again.listener.begin(), entries, results }) }, '2')
  const { lease } = sent.at(-1) ?? {}
  t.match(sent.at(-1), { type: 'begin', entries: [{ do: 'tool', name: 'find' }, { do: 'say' }] })
  hear({ type: 'turn', lease, seen: 0, moves: [tool(3)] })
  t.equal(again.turns.length, 1)
  t.ok(begin)
})

t.test('what is too long for one message comes in parts, also characters of two halves', async t => {
  const { connection, hear, sent, lengths, id } = await leased()
  const again = fakeTask(undefined)
  const long = '🦊é"\\'.repeat(3 << 20)
  const results = [1, 2].map(n => ({ n, at: 1, value: `${n}${long}` }))
  const entries = results.map(() => ({ do: 'tool' as const, name: 'find', digest: 'd' }))
  const begin = () => ({ ...again.listener.begin(), entries, results })
  const held = connection.begin({ ...again.listener, begin }, '2')
  t.strictSame(sent.at(-1)?.results, results)
  held.results([{ n: 3, at: 1, value: long }])
  t.match(sent.at(-1), { type: 'results', results: [{ n: 3, value: long }] })
  t.ok(lengths.length > 30)
  t.ok(Math.max(...lengths) < 4 << 20, 'no message on the connection is long')
  hear({ type: 'turn', lease: sent.at(-1)?.lease, seen: 3, moves: [] })
  t.same(again.ends, [])
  t.ok(id)
})

t.test('a task that is too large for any host fails alone, with the limit and what to do', async t => {
  const { connection, hear, sent, ends, task, freed, turn } = await leased()
  const large = fakeTask(undefined)
  const long = 'x'.repeat(129 << 20)
  const input = { text: 'x', content: long, items: [] }
  const before = sent.length
  connection.begin({ ...large.listener, begin: () => ({ ...large.listener.begin(), input }) }, '2')
  t.match(large.ends, [{ why: 'unfit', message: /have 135\d+ bytes of JSON, .* at most 134217728 .* store/ }])
  t.same(large.versions, [])
  t.equal(sent.length, before, 'nothing was sent for it')
  t.equal(connection.leases(), 1)
  const later = fakeTask(undefined)
  const held = connection.begin(later.listener, '2')
  held.results([{ n: 1, at: 1, value: long }])
  t.match(later.ends, [{ why: 'unfit', message: /the results of the task have/ }])
  t.match(sent.at(-1), { type: 'stop', reason: 'unfit', message: /the results/ })
  t.equal(freed(), 1)
  const asks = fakeTask(undefined)
  connection.begin({ ...asks.listener, history: async () => [{ text: long }] as never }, '2')
  hear({ type: 'ask', lease: sent.at(-1)?.lease, id: 1, what: 'history' })
  await settle()
  t.match(sent.at(-1), { type: 'answer', id: 1, error: { message: /the history has/ } })
  turn({ moves: [tool(1)] })
  t.equal(task.turns.length, 1)
  t.same(ends, [])
})

const wrong: [string, object, RegExp][] = [
  ['a gap', { moves: [tool(2)] }, /the entry 2, where 1 is the next/],
  ['results that it has not got', { seen: 1 }, /seen 1 results, of 0/],
  ['an unknown move', { moves: [{ n: 1, do: 'fly', digest: 'd' }] }, /a move “fly”/],
  [
    'a field of another type',
    { moves: [{ ...tool(1), name: 5 }] },
    /a move tool with an invalid field: name/,
  ],
  [
    'a tool with arguments and a call',
    { moves: [{ ...tool(1), call_id: 'c' }] },
    /either arguments or call_id/,
  ],
  [
    'the outcome of nothing',
    { moves: [{ do: 'ran', of: 1, value: 1 }] },
    /ran of the entry 1, which there is not/,
  ],
  ['the outcome of a tool', { moves: [tool(1), { do: 'ran', of: 1, value: 1 }] }, /entry 1, which is no run/],
  ['two outcomes', { outcome: { answer: 1, error: { message: 'x' } } }, /an outcome that is not one of/],
]
const deep = (levels: number) => JSON.parse(`${'['.repeat(levels)}1${']'.repeat(levels)}`)
const ran = (value: unknown) => ({
  moves: [
    { n: 1, do: 'run', name: 'pay', digest: 'd' },
    { do: 'ran', of: 1, value },
  ],
})
const machine = (context: unknown) => ({ machine: { value: 'on', context, next_events: [] } })
wrong.push(
  ['too many levels', ran(deep(62)), /more than 64 levels/],
  ['too many values', ran(Array(100_000).fill(1)), /more than 100000 values/],
  [
    'too many keys',
    ran(Object.fromEntries(Array.from({ length: 10_001 }, (_, n) => [n, n]))),
    /10000 keys in one object/,
  ],
  ['a key that reaches a prototype', ran(JSON.parse('{"__proto__": {"a": 1}}')), /the key “__proto__”/],
  ['a context that is too long', machine({ text: 'é'.repeat(600_000) }), /a context of 12000\d\d bytes/],
)
for (const [what, fields, says] of wrong) {
  t.test(`a turn with ${what} ends its lease, which counts as failed, and no other one`, async t => {
    const { ends, hear, id, task, turn, begin, sent, freed } = await leased()
    const other = begin()
    await settle()
    const otherId = other.id()
    turn(fields)
    t.same(ends, [])
    t.match(task.ends, [{ why: 'died', message: says }])
    t.match(sent.at(-1), { type: 'stop', lease: id, reason: 'unfit', message: says })
    t.same(task.turns, [])
    t.equal(freed(), 1)
    turn(fields)
    hear({ type: 'turn', lease: otherId, seen: 0, moves: [tool(1)] })
    t.equal(other.task.turns.length, 1)
  })
}

t.test('what is just within the limits is taken', async t => {
  const { ends, task, turn } = await leased()
  turn({ ...ran(deep(61)), ...machine({ text: 'x'.repeat((1 << 20) - 20) }) })
  t.same(ends, [])
  t.equal(task.turns.length, 1)
})

t.test(
  'a message that cannot be read ends the lease that it names first, or else the connection',
  async t => {
    const { hear, id, task, ends, turn } = await leased()
    hear(`{"type": "turn", "lease": "${id}", "seen": 0, "moves": [NaN]}`)
    t.match(task.ends, [{ why: 'died', message: /no JSON: “{"type": "turn"/ }])
    t.same(ends, [])
    turn({})
    hear('{"seen": 0, "moves": [NaN]}')
    t.match(ends, [{ why: 'died', message: /no JSON/ }])
  },
)

t.test('an error shows no value of a variable, however long the message is', async t => {
  const secret = 'a-secret-of-some-length'
  const { hear, id, task } = await leased({ vars: { KEY: secret } })
  hear(`{"type": "turn", "lease": "${id}", "x": "${'x'.repeat(395)}${secret}"`)
  t.match(task.ends, [{ message: /xxx/ }])
  for (let length = 4; length < secret.length; length++)
    t.notMatch(task.ends[0]?.message, secret.slice(0, length))
})

t.test('a hello that is too long is refused with the limit', async t => {
  const { hear, ends } = given()
  hear({ ...hello, agents: [{ name: 'good', parameters: { text: 'x'.repeat(2 << 20) } }] })
  t.match(ends, [{ why: 'died', message: /a hello of 2097\d+ bytes, more than 1048576: shorten/ }])
})

t.test(
  'a message before the hello, a second hello and a message without a form end the connection',
  async t => {
    const messages: [unknown[], RegExp][] = [
      [[{ type: 'pong' }], /something before its hello/],
      [[hello, hello], /hello a second time/],
      [['5'], /no object/],
      [['text'], /no JSON: “text”/],
      [[{}], /without a type/],
      [[{ ...hello, protocol: 2 }], /a hello with an invalid field: protocol/],
      [[{ ...hello, agents: [] }], /agents/],
      [[{ type: 'failed', message: 'no such package' }], /no such package/],
    ]
    for (const [said, says] of messages) {
      const { hear, ends } = given()
      for (const message of said) hear(message)
      t.match(ends, [{ message: says }])
    }
    const { hear, ends } = given()
    hear(hello)
    hear({ type: 'of a later version' })
    hear({ type: 'turn', lease: 'l_0', seen: 0, moves: [] })
    t.same(ends, [], 'a message of a later version and a lease that has ended do no harm')
  },
)

t.test(
  'the task that asks for too much at a time has flooded the connection, the others have lost it',
  async t => {
    for (const moves of [
      Array.from({ length: 1001 }, (_, n) => tool(n + 1)),
      [{ n: 1, do: 'say', text: 'x'.repeat(5 << 20), digest: 'd' }],
    ]) {
      const { ends, task, turn, begin } = await leased()
      const lease = begin()
      await settle()
      turn({ moves: [] })
      turn({ moves })
      t.match(ends, [{ why: 'lost', message: /was cut/ }])
      t.match([...task.ends, ...lease.task.ends].map(({ why }) => why).sort(), ['flooded', 'lost'])
    }
  },
)

t.test('reading stops while much is not stored, whatever it is', async t => {
  const stored: (() => void)[] = []
  const store = () => new Promise<void>(resolve => stored.push(resolve))
  const { turn, reading, ends } = await leased({ store })
  const text = 'x'.repeat(700 << 10)
  turn({ moves: [{ n: 1, do: 'say', text, digest: 'd' }] })
  t.same(reading, [])
  turn({ moves: [{ ...tool(2), arguments: { text } }] })
  t.same(reading, [false])
  stored[0]?.()
  await settle()
  t.same(reading, [false, true])
  t.same(ends, [])
})

t.test('a task that sends on while nothing is stored has flooded the connection', async t => {
  const { turn, ends, task } = await leased({ store: () => new Promise<void>(() => {}) })
  const text = 'x'.repeat(7 << 20)
  turn({ moves: [{ ...tool(1), arguments: { text } }] })
  turn({
    moves: [
      { n: 2, do: 'run', name: 'pay', safe: true, digest: 'd' },
      { do: 'ran', of: 2, value: text },
    ],
  })
  t.same(ends, [])
  turn({
    machine: { value: 'on', context: {}, next_events: [] },
    moves: [{ ...tool(3), arguments: { text } }],
  })
  t.match(ends, [{ why: 'lost', message: /more than 20 MiB that are not stored/ }])
  t.match(task.ends, [{ why: 'flooded' }])
})

t.test('questions are answered one after the other, and too many of them are a flood', async t => {
  const { hear, id, ends, task } = await leased()
  for (let n = 0; n < 1000; n++) hear({ type: 'ask', lease: id, id: n, what: 'history' })
  t.same(ends, [])
  hear({ type: 'ask', lease: id, id: 1000, what: 'history' })
  t.match(ends, [{ message: /more than 1000 questions/ }])
  t.match(task.ends, [{ why: 'flooded' }])
})

t.test(
  'when a host ends, what it had not answered may be the reason, and what only waits is not',
  async t => {
    const end: LeaseEnd = { why: 'died', message: 'it ended' }
    const { connection, begin, hear, task, turn } = await leased()
    turn({ moves: [tool(1)] })
    task.give(1)
    turn({ seen: 1, moves: [tool(2)] })
    const runs = begin()
    await settle()
    hear({ type: 'turn', lease: runs.id(), seen: 0, moves: [{ n: 1, do: 'run', name: 'pay', digest: 'd' }] })
    const slow = begin()
    await settle()
    t.equal(connection.unheard(), 1)
    for (let n = 0; n < 3; n++) connection.look()
    t.equal(connection.unheard(), 0, 'it has had its time')
    const young = begin()
    await settle()
    connection.end(end)
    t.same(task.ends, [{ ...end, why: 'lost' }])
    t.same(runs.task.ends, [end])
    t.same(slow.task.ends, [end])
    t.same(young.task.ends, [{ ...end, unheard: 'alone' }])

    const other = await leased()
    const second = other.begin()
    await settle()
    other.connection.end({ ...end, why: 'lost' })
    for (const { ends } of [other.task, second.task])
      t.same(ends, [{ ...end, why: 'lost', unheard: 'together' }])
  },
)

t.test('a host may ask for the history, and give a lease back', async t => {
  const { hear, id, sent, task, freed } = await leased()
  hear({ type: 'ask', lease: id, id: 1, what: 'history' })
  hear({ type: 'ask', lease: id, id: 2, what: 'weather' })
  await settle()
  t.match(sent.slice(-2), [
    { type: 'answer', lease: id, id: 1, value: [{ id: 'm1' }] },
    { type: 'answer', lease: id, id: 2, error: { message: /weather/ } },
  ])
  hear({ type: 'release', lease: id, reason: 'it stops' })
  t.same(task.ends, [{ why: 'released', message: 'it stops' }])
  t.equal(freed(), 1)
})

t.test('a lease moves away when it only waits', async t => {
  const { connection, sent, task, turn, id } = await leased()
  connection.moveAway('the file has changed')
  t.same(task.ends, [], 'not before its first turn')
  turn({ moves: [{ n: 1, do: 'run', name: 'pay', digest: 'd' }] })
  t.same(task.ends, [], 'nor while a run is under way')
  turn({ moves: [{ do: 'ran', of: 1, value: null }] })
  t.same(task.ends, [], 'nor with a result that it has not seen')
  turn({ seen: 1, moves: [tool(2)] })
  t.same(task.ends, [{ why: 'released', message: 'the file has changed' }])
  t.same(sent.at(-1), { type: 'stop', lease: id, reason: 'moved' })
})
