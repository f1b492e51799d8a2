// The journal: what code gets when it runs again, whatever was stored before it ended.
import { setTimeout as sleep } from 'node:timers/promises'
import tap from 'tap'
import { ToolError } from '../../library/agent/errors.ts'
import { valuesIn } from '../../library/agent/plain-json.ts'
import { createTurnQueue } from '../../library/agent/turns.ts'
import type { Context } from '../../library/agent/types.ts'
import fc from '../support/fast-check.ts'
import { beginOf, hostHere, type Told } from './support/peer.ts'

/** A program as data. Every part of it gives text. */
type Program =
  | { is: 'tool' | 'ask' | 'run' | 'safe' | 'sleep' | 'say' | 'random' | 'now' | 'history'; name: string }
  | { is: 'sequence' | 'all' | 'race'; parts: Program[] }
  | { is: 'try'; part: Program }

const { program } = fc.letrec<{ program: Program; part: Program }>(tie => ({
  part: fc.record({
    is: fc.constantFrom('tool', 'ask', 'run', 'safe', 'sleep', 'say', 'random', 'now', 'history'),
    name: fc.constantFrom('a', 'b', 'c'),
  }) as fc.Arbitrary<Program>,
  program: fc.oneof(
    { depthSize: 'small' },
    tie('part'),
    fc.record({
      is: fc.constantFrom('sequence', 'all', 'race'),
      parts: fc.array(tie('program'), { minLength: 1, maxLength: 4 }),
    }) as fc.Arbitrary<Program>,
    fc.record({ is: fc.constant('try'), part: tie('program') }) as fc.Arbitrary<Program>,
  ),
}))

const perform = async (ctx: Context, one: Program): Promise<string> => {
  switch (one.is) {
    case 'tool':
      return ctx.tool(one.name, {}, { retries: 1 })
    case 'ask':
      return ctx.ask(one.name)
    case 'run':
    case 'safe':
      return ctx.run(one.name, () => `ran ${one.name}`, { safe: one.is === 'safe' })
    case 'sleep':
      await ctx.sleep(100)
      return 'slept'
    case 'say':
      ctx.say(one.name)
      return 'said'
    case 'random':
      return String(ctx.random())
    case 'now':
      return String(ctx.now())
    case 'history':
      return String((await ctx.history()).length)
    case 'sequence': {
      const texts: string[] = []
      for (const part of one.parts) texts.push(await perform(ctx, part))
      ctx.say(texts.join())
      return texts.join()
    }
    case 'all':
      return (await Promise.all(one.parts.map(part => perform(ctx, part)))).join()
    case 'race':
      return Promise.race(one.parts.map(part => perform(ctx, part)))
    case 'try':
      return perform(ctx, one.part).catch(error => `caught ${error.name}`)
  }
}

/** What the server stores: entries and results, in one order. */
type Stored = { entry: Told } | { result: Told }

const isOpen = (entry: Told) => entry.do !== 'say' && entry.do !== 'think'

/**
 * Plays the server from what is stored to the end. `choose` picks the open entry that gets its result next, and says whether it
 * fails. Returns all that is stored then, with the outcome.
 */
const playOn = async (
  agent: (ctx: Context) => unknown,
  before: readonly Stored[],
  choose: (open: number[], resulted: number) => Told,
) => {
  const peer = hostHere({ agent })
  const log: Stored[] = [...before]
  const entries = () => log.flatMap(one => ('entry' in one ? [one.entry] : []))
  const results = () => log.flatMap(one => ('result' in one ? [one.result] : []))
  peer.send(
    beginOf('agent', {
      entries: entries().map(({ n, ...entry }) => entry),
      results: results(),
    }),
  )
  const ran = new Map<number, Told>()
  for (;;) {
    const told = await peer.next()
    if (told.type === 'ask') {
      peer.send({ type: 'answer', lease: 'l_1', id: told.id, value: [1, 2, 3] })
      continue
    }
    for (const move of told.moves)
      if (move.do === 'ran') ran.set(move.of, move)
      else log.push({ entry: move })
    if (told.outcome !== undefined) {
      const { stack, ...error } = told.outcome.error ?? {}
      return { log, outcome: told.outcome.error === undefined ? told.outcome : { error }, seen: told.seen }
    }
    // A turn that the host sends by itself, for a history or the outcome of a safe run, may still be on its way.
    await sleep(0)
    await sleep(0)
    if (peer.waiting() > 0) continue
    const done = new Set(results().map(({ n }) => n))
    const open = entries().flatMap(entry => (isOpen(entry) && !done.has(entry.n) ? [entry.n] : []))
    if (open.length === 0) continue
    const result = choose(open, done.size)
    const asked = entries()[result.n - 1]
    if (asked.do === 'run' && !ran.has(result.n)) {
      if (!asked.safe) peer.send({ type: 'run', lease: 'l_1', n: result.n })
      continue
    }
    const value = asked.do === 'run' ? { value: ran.get(result.n).value } : result
    const stored = asked.do === 'run' ? { n: result.n, at: result.at, ...value } : result
    log.push({ result: stored })
    peer.send({ type: 'results', lease: 'l_1', results: [stored] })
  }
}

tap.test('a program gives the same from every prefix of what was stored', async t => {
  await fc.assert(
    fc.asyncProperty(program, fc.infiniteStream(fc.nat(1000)), async (given, choices) => {
      const agent = (ctx: Context) => perform(ctx, given)
      const picked: number[] = []
      const whole = await playOn(agent, [], (open, resulted) => {
        picked[resulted] ??= choices.next().value
        const pick = picked[resulted] as number
        const n = open[pick % open.length] as number
        const at = 1000 + resulted * 10
        if (pick % 7 === 0) return { n, at, error: { kind: 'tool', message: 'failed' } }
        return { n, at, value: { text: `result ${n}` } }
      })
      const order = whole.log.flatMap(one => ('result' in one ? [one.result] : []))
      for (let length = 0; length < whole.log.length; length++) {
        const again = await playOn(agent, whole.log.slice(0, length), (_, resulted) => order[resulted])
        t.same(again.log, whole.log, `a prefix of ${length} of ${JSON.stringify(given)}`)
        t.same(again.outcome, whole.outcome)
      }
    }),
    { numRuns: 40 },
  )
})

tap.test('results come one at a time, in the order in which they were stored', async t => {
  const order: string[] = []
  const agent = async (ctx: Context) => {
    const noted = async (name: string) => {
      await ctx.tool(name)
      order.push(name)
      for (let n = 0; n < 50; n++) await null
      order.push(`${name} and after`)
    }
    await Promise.all([noted('a'), noted('b'), noted('c')])
  }
  const { send, next } = hostHere({ agent })
  send(beginOf('agent'))
  await next()
  const results = [3, 1, 2].map(n => ({ n, at: 1000 + n, value: { text: '' } }))
  send({ type: 'results', lease: 'l_1', results })
  t.match(await next(), { seen: 3, outcome: { answer: '' } })
  t.same(order, ['c', 'c and after', 'a', 'a and after', 'b', 'b and after'])
})

tap.test('a call that an AbortSignal stops is dropped', async t => {
  const agent = async (ctx: Context) => {
    const stop = new AbortController()
    const slow = ctx.tool('slow', {}, { signal: stop.signal })
    await ctx.tool('fast')
    stop.abort()
    return slow.catch(error => `${error.name} ${error.kind}`)
  }
  const { send, next } = hostHere({ agent })
  send(beginOf('agent'))
  await next()
  send({ type: 'results', lease: 'l_1', results: [{ n: 2, at: 1, value: { text: '' } }] })
  t.match(await next(), { moves: [{ do: 'drop', of: 1 }] })
  send({
    type: 'results',
    lease: 'l_1',
    results: [{ n: 1, at: 2, error: { kind: 'dropped', message: 'it was dropped' } }],
  })
  t.match(await next(), { outcome: { answer: 'ToolError dropped' } })
})

tap.test('a run whose time is over is told to stop, and what it gives later is not sent', async t => {
  let reason: unknown
  const untilStopped = ({ signal }: { signal: AbortSignal }) =>
    new Promise<void>(resolve => {
      signal.addEventListener('abort', () => {
        reason = signal.reason
        resolve()
      })
    })
  const agent = (ctx: Context) =>
    ctx.run('slow', untilStopped, { timeout: 50 }).catch(error => ctx.tool('note', { error: error.name }))
  const { send, next, waiting } = hostHere({ agent })
  send(beginOf('agent'))
  t.match(await next(), { moves: [{ do: 'run', timeout_ms: 50 }] })
  send({ type: 'run', lease: 'l_1', n: 1 })
  await sleep(10)
  send({
    type: 'results',
    lease: 'l_1',
    results: [{ n: 1, at: 2, error: { kind: 'timeout', message: 'too slow' } }],
  })
  t.match(await next(), { moves: [{ n: 2, do: 'tool', arguments: { error: 'TimeoutError' } }] })
  await sleep(20)
  t.match(reason, { name: 'TimeoutError' })
  t.equal(waiting(), 0)
})

tap.test('a run whose result is stored does not run again, and a safe one without result does', async t => {
  let runs = 0
  const agent = async (ctx: Context) => {
    const first = await ctx.run('first', () => ++runs)
    const second = await ctx.run('second', () => ++runs, { safe: true })
    return [first, second]
  }
  const { send, next } = hostHere({ agent })
  send(beginOf('agent'))
  const { moves } = await next()
  send({ type: 'run', lease: 'l_1', n: 1 })
  await next()
  const results = [{ n: 1, at: 1, value: 1 }]
  send({ type: 'results', lease: 'l_1', results })
  const turn = await next()
  t.equal(runs, 2)
  const entries = [moves[0], turn.moves[0]]
  send({ type: 'stop', lease: 'l_1', reason: 'rest' })
  send(beginOf('agent', { lease: 'l_2', entries, results }))
  await sleep(50)
  t.equal(runs, 3)
  send({ type: 'run', lease: 'l_2', n: 1 })
  await sleep(50)
  t.equal(runs, 3, 'a late message starts nothing')
})

tap.test('code that awaits something else is told of it, and then ended', async t => {
  const foreign = async () => new Promise(() => {})
  const patience = { warnMs: 20, endMs: 60 }
  const { send, next, warnings } = hostHere({ foreign }, { patience })
  send(beginOf('foreign'))
  t.match(await next(), { moves: [] })
  t.match(await next(), {
    outcome: { error: { name: 'ForeignPromise', message: /has waited 0.06 s .*ctx\.run\(name, fn\)/ } },
  })
  t.match(warnings, [/^agent foreign, task task_1: the code waits for something that is not a call of ctx/])

  const late = async (ctx: Context) => {
    await sleep(5)
    return ctx.tool('a')
  }
  const other = hostHere({ late }, { patience })
  other.send(beginOf('late'))
  await other.next()
  t.match(await other.next(), { moves: [{ n: 1, do: 'tool' }] })
  t.match(other.warnings, [/ctx\.tool\('a'\) follows something that is not a call of ctx/])
  await sleep(80)
  t.equal(other.waiting(), 0, 'it waits for the tool as long as it takes')
})

tap.test('ctx may not be used after the function has returned', async t => {
  let used: unknown
  const agent = (ctx: Context) => {
    setTimeout(() => {
      ctx.tool('late').catch(error => {
        used = error
      })
    }, 5)
    return 'early'
  }
  const { send, next } = hostHere({ agent })
  send(beginOf('agent'))
  t.match(await next(), { outcome: { answer: 'early' } })
  await sleep(20)
  t.match(used, { message: /ctx\.tool\('late'\) was used after the agent had returned: await every call/ })
})

tap.test('a wrong use says what to write', async t => {
  const uses: [(ctx: never) => unknown, RegExp][] = [
    [(ctx: Context) => ctx.tool('a', 5 as never), /the arguments of ctx\.tool\('a'\) must be an object/],
    [(ctx: Context) => ctx.tool('a', { deep: [{ x: 5n }] }), /but “arguments\.deep\.0\.x” is a bigint/],
    [(ctx: Context) => ctx.tool('a', { b: ctx.tool('b') }), /“arguments\.b” is a Promise: await it first/],
    [
      (ctx: Context) => ctx.tool('a', {}, { timeout: 0 }),
      /timeout of ctx\.tool\('a'\) must be a number of milliseconds above 0/,
    ],
    [
      (ctx: Context) => ctx.tool('a', {}, { retries: -1 }),
      /retries of ctx\.tool\('a'\) must be a whole number/,
    ],
    [
      (ctx: Context) => ctx.model('x', { temperature: 1 } as never),
      /ctx\.model\(\) has no option “temperature”: it has timeout, retries, signal, tools, schema, model, silent/,
    ],
    [(ctx: Context) => ctx.model(undefined as never), /ctx\.model needs a prompt or a list of messages/],
    [(ctx: Context) => ctx.run('a', undefined as never), /ctx\.run\('a'\) needs a function/],
    [(ctx: Context) => ctx.run(undefined as never, () => 1), /ctx\.run needs a name first/],
    [(ctx: Context) => ctx.sleep(-5), /ctx\.sleep needs a number of milliseconds from 0, or a Date/],
    [(ctx: Context) => ctx.sleep(new Date('never')), /ctx\.sleep needs/],
    [
      (ctx: Context) => ctx.tool('x'.repeat(257)),
      /the name that ctx\.tool got has 257 characters, more than 256/,
    ],
    [
      (ctx: Context) => ctx.tool('a', JSON.parse('{"__proto__": 1}')),
      /has the key “arguments.__proto__”, which is not/,
    ],
    [(ctx: Context) => ctx.tool('a', { all: Array(90_000).fill(1) }), /has more than 90000 values: store it/],
    [
      (ctx: Context) => ctx.tool('a', { text: 'é'.repeat(5 << 20) }),
      /bytes of JSON, more than 8388608: store it/,
    ],
    [
      (ctx: Context) => ctx.message({ timeout: 1e300 }),
      /timeout of ctx\.message\(\) must be .* at most 86400/,
    ],
    [(ctx: Context) => ctx.say(5 as never), /ctx\.say needs text/],
    [(ctx: Context) => ctx.agent('a', { x: 1 } as never), /ctx\.agent\('a'\) needs an input/],
    [
      (ctx: Context) => ctx.tool('a', { text: 'x'.repeat(9 * 2 ** 20) }),
      /more than 8388608: store it elsewhere/,
    ],
    [() => () => 1, /the answer of the agent must be JSON, but it is a function/],
    [
      () => {
        const ring: { self?: object } = {}
        ring.self = ring
        return ring
      },
      /“self” contains itself/,
    ],
  ]
  for (const [agent, message] of uses) {
    const { send, next } = hostHere({ agent })
    send(beginOf('agent'))
    let turn = await next()
    while (turn.outcome === undefined) turn = await next()
    t.match(turn.outcome, { error: { name: 'TypeError', message } })
  }
})

tap.test('the code says when it asks too much: further calls wait', async t => {
  const agent = async (ctx: Context) => {
    const all = await Promise.all(Array.from({ length: 2500 }, (_, n) => ctx.tool('a', { n })))
    return all.length
  }
  const { send, next, waiting } = hostHere({ agent })
  send(beginOf('agent'))
  let asked = 0
  let open = 0
  let outcome: Told
  while (outcome === undefined) {
    const turn = await next()
    asked += turn.moves.length
    open += turn.moves.length
    outcome = turn.outcome
    t.ok(open <= 1000, `${open} are open`)
    if (waiting() > 0 || outcome !== undefined) continue
    const results = Array.from({ length: open }, (_, index) => ({
      n: asked - open + index + 1,
      at: 1,
      value: { text: '' },
    }))
    open = 0
    send({ type: 'results', lease: 'l_1', results })
  }
  t.same([asked, outcome], [2500, { answer: 2500 }])
})

tap.test('what is said before the end is sent, also when more is open than the server takes', async t => {
  const agent = async (ctx: Context) => {
    for (let n = 0; n < 1200; n++) void ctx.tool('a', { n })
    ctx.say('enough')
    return 'done'
  }
  const { send, next } = hostHere({ agent })
  send(beginOf('agent'))
  const moves: Told[] = []
  for (let turn = await next(); ; turn = await next()) {
    moves.push(...turn.moves)
    if (turn.outcome !== undefined) break
  }
  t.match(moves, [{ n: 1, do: 'say', text: 'enough' }], 'the end stops the rest, so nothing of it begins')
})

tap.test('a connection that is full gets its turns later', async t => {
  let isFull = true
  const agent = (ctx: Context) => {
    for (let n = 0; n < 5; n++) ctx.say('x'.repeat(400_000))
  }
  const { host, send, next, waiting } = hostHere({ agent }, { hasRoom: () => !isFull })
  send(beginOf('agent'))
  await sleep(20)
  t.equal(waiting(), 0)
  isFull = false
  host.resume()
  const lengths: number[] = []
  for (let turn = await next(); ; turn = await next()) {
    lengths.push(turn.moves.length)
    if (turn.outcome !== undefined) break
  }
  t.same(lengths, [2, 2, 1])
})

tap.test('a state with many values and a move with many values are sent one after the other', t => {
  const sent: Told[] = []
  const send = (text: string) => void sent.push(JSON.parse(text))
  const queue = createTurnQueue({ lease: 'l', send, hasRoom: () => true, stored: 0, open: 0 })
  const list = (length: number) => Array.from({ length }, () => 1)
  queue.moved({ value: 'on', context: list(45_000), next_events: [] })
  const move = { n: 1, do: 'run', name: 'x', digest: 'd', more: list(80_000) }
  queue.ask(1, true, { text: JSON.stringify(move), values: valuesIn(move) })
  queue.flush(0)
  t.same(
    sent.map(({ machine, moves }) => [machine !== undefined, moves.length]),
    [
      [true, 0],
      [false, 1],
    ],
  )
  for (const turn of sent) t.ok(valuesIn(turn) <= 100_000)
  t.end()
})

tap.test('a host that stops releases each lease when its runs are done and told', async t => {
  const agents = {
    runs: (ctx: Context) => ctx.run('slow', () => sleep(50, 'done')),
    waits: (ctx: Context) => ctx.tool('a'),
  }
  let hasRoom = true
  const { host, send, next, waiting } = hostHere(agents, { hasRoom: () => hasRoom })
  const released = (lease: string) => ({ type: 'release', lease, reason: 'the host stops' })
  for (const [lease, agent] of [
    ['l_running', 'runs'],
    ['l_stored', 'runs'],
    ['l_waiting', 'waits'],
  ] as const) {
    send(beginOf(agent, { lease }))
    await next()
  }
  send({ type: 'run', lease: 'l_running', n: 1 })
  const stopped = host.stop()
  t.same(await next(), { type: 'stopping' })
  send(beginOf('waits', { lease: 'l_late' }))
  t.same(await next(), released('l_late'))
  t.same(await next(), released('l_waiting'))
  t.match(await next(), { type: 'turn', lease: 'l_running', moves: [{ do: 'ran', of: 1, value: 'done' }] })
  t.same(await next(), released('l_running'))
  // The server has stored this run, and tells the host to begin before it hears of the end.
  hasRoom = false
  send({ type: 'run', lease: 'l_stored', n: 1 })
  await sleep(100)
  t.equal(waiting(), 0, 'what the connection does not take yet is not lost')
  hasRoom = true
  host.resume()
  t.match(await next(), { type: 'turn', lease: 'l_stored', moves: [{ do: 'ran', of: 1, value: 'done' }] })
  t.same(await next(), released('l_stored'))
  await stopped
})

tap.test('while a host stops, its code gets no further results', async t => {
  const runs = async (ctx: Context) => {
    const slow = ctx.run('slow', () => sleep(100, 'slow'))
    for (let n = 0; n < 5; n++) await ctx.run('quick', () => n)
    return slow
  }
  const { host, send, next, waiting } = hostHere({ runs })
  send(beginOf('runs'))
  t.match(await next(), { moves: [{ n: 1 }, { n: 2 }] })
  for (const n of [1, 2]) send({ type: 'run', lease: 'l_1', n })
  t.match(await next(), { moves: [{ do: 'ran', of: 2, value: 0 }] })
  const stopped = host.stop()
  t.same(await next(), { type: 'stopping' })
  send({ type: 'results', lease: 'l_1', results: [{ n: 2, at: 1, value: 0 }] })
  t.match(await next(), { type: 'turn', moves: [] }, 'the server hears that the results have come')
  t.match(await next(), { moves: [{ do: 'ran', of: 1, value: 'slow' }] })
  t.match(await next(), { type: 'release', lease: 'l_1' })
  await stopped
  t.equal(waiting(), 0)
})

tap.test('errors have a class and fields', t => {
  const error = new ToolError({ kind: 'tool', message: 'no', code: 5, data: { a: 1 } })
  t.match(error, { name: 'ToolError', kind: 'tool', code: 5, data: { a: 1 } })
  t.match(JSON.parse(JSON.stringify(error)), {
    name: 'ToolError',
    message: 'no',
    kind: 'tool',
    code: 5,
    data: { a: 1 },
  })
  t.end()
})

tap.test('a long text is said in parts that cut no character in two', async t => {
  const text = `${'x'.repeat(2 ** 19 - 1)}🦊${'y'.repeat(2 ** 19)}`
  const peer = hostHere({ agent: (ctx: Context) => ctx.say(text) })
  peer.send(beginOf('agent'))
  const said: string[] = []
  for (let told = await peer.next(); ; told = await peer.next()) {
    said.push(...told.moves.map(({ text }: { text: string }) => text))
    if (told.outcome !== undefined) break
  }
  t.equal(said.join(''), text)
  t.same(
    said.map(({ length }) => length),
    [2 ** 19 - 1, 2 ** 19, 2],
  )
})

tap.test('a message that comes in parts is one message', async t => {
  const peer = hostHere({ agent: (ctx: Context) => ctx.input.text })
  const text = JSON.stringify(beginOf('agent', { input: { text: 'whole', content: 'whole', items: [] } }))
  peer.send({ type: 'part', text: text.slice(0, 20) })
  peer.send({ type: 'part', text: text.slice(20, 50) })
  peer.send({ type: 'part', text: text.slice(50), last: true })
  t.match(await peer.next(), { outcome: { answer: 'whole' } })
})

tap.test('a turn has at most as many values as a message may have', async t => {
  const all = Array(80_000).fill(1)
  const peer = hostHere({
    async agent(ctx: Context) {
      const calls = [ctx.tool('a', { all }), ctx.tool('b', { all }), ctx.run('c', () => all, { safe: true })]
      await Promise.race([Promise.all(calls), ctx.sleep(1)])
      return all
    },
  })
  peer.send(beginOf('agent'))
  const turns = [await peer.next(), await peer.next()]
  while (!turns.some(({ moves }) => moves.some((move: { do: string }) => move.do === 'ran')))
    turns.push(await peer.next())
  peer.send({ type: 'results', lease: 'l_1', results: [{ n: 4, at: 2, value: null }] })
  while (turns.at(-1).outcome === undefined) turns.push(await peer.next())
  t.ok(turns.length >= 4)
  t.ok(turns.every(turn => valuesIn(turn) <= 100_000))
})
