// Agents in Python as the server hosts them: what may stand in them, what is refused and how it says so, and how they end.

import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import t, { type Test } from 'tap'
import {
  beginOf,
  fileOf,
  hostOf,
  type Message,
  nextFor,
  noPython,
  python,
  startHost,
  storedOf,
} from './peer.ts'

const skip = noPython
const isOld = skip ? true : spawnSync(python, ['-c', 'import asyncio; asyncio.TaskGroup']).status !== 0
const noGroups = isOld && 'this Python has no asyncio.TaskGroup'
const ways = path.resolve('test/python-agent/ways.py')

const until = async (isSo: () => boolean): Promise<void> => {
  for (const end = Date.now() + 60_000; !isSo(); await new Promise(resolve => setTimeout(resolve, 10)))
    if (Date.now() > end) throw new Error(`not so after 60 s: ${isSo}`)
}

/** A host of ways.py, and a way to begin one of its ways. */
const waysOf = async (t: Test) => {
  const host = await hostOf(t, ways)
  return {
    ...host,
    go(way: string, more: Message = {}) {
      const begin = beginOf('ways', { config: { way }, ...more })
      const { lease } = begin
      host.send(begin)
      let at = 1000
      return {
        lease,
        next: () => nextFor(host, lease),
        give: (...results: Message[]) =>
          host.send({ type: 'results', lease, results: results.map(result => ({ at: ++at, ...result })) }),
        run: (n: number) => host.send({ type: 'run', lease, n }),
        stop: () => host.send({ type: 'stop', lease, reason: 'canceled' }),
      }
    },
  }
}
const text = (n: number, value: string): Message => ({ n, value: { text: value } })

t.test('a host says what its agent is, answers pings, and its prints are no messages', { skip }, async t => {
  const host = await waysOf(t)
  t.match(host.hello, {
    protocol: 1,
    name: 'ways',
    slots: 16,
    agents: [
      { name: 'ways', kind: 'function', description: 'Goes many ways.', parameters: { type: 'object' } },
    ],
  })
  t.notOk('version' in host.hello.agents[0], 'the server takes the digest of the file')
  host.send({ type: 'ping' })
  host.send({ type: 'of a later protocol' })
  t.same(await host.next(), { type: 'pong' })
  const { next } = host.go('prints')
  t.match(await next(), { outcome: { answer: 'done' } })
  await until(() => host.errors().includes('written'))
  t.match(host.errors(), /this is printed while the file is read\n[\s\S]*printed\n/)
  const more = { vars: { KEY: 'x' }, traceparent: '00-1' }
  t.same((await host.go('sees', more).next()).outcome, {
    answer: ['hello', 'hello', { KEY: 'x' }, 'task_1', 's1', '00-1', false],
  })
})

t.test('a file without a good agent says what is wrong', { skip }, async t => {
  const files: [string, string, RegExp][] = [
    ['syntax', 'async def main(ctx:\n', /^SyntaxError: .*syntax\.py, line 1/],
    ['missing', 'import no_such_package\n', /no_such_package.*: install it for \//],
    ['empty', 'x = 1\n', /empty\.py has no agent: write @agent before an `async def main\(ctx\)`/],
    [
      'two',
      'from reprise_agent import agent\n@agent\nasync def a(ctx): pass\n@agent\nasync def b(ctx): pass\n',
      /more than one agent \(a, b\): give each a file/,
    ],
    [
      'sync',
      'from reprise_agent import agent\n@agent\ndef main(ctx): pass\n',
      /main is no coroutine function: .*async def main\(ctx\)/,
    ],
    ['bare', 'def main(ctx): pass\n', /main is no coroutine function/],
    ['arguments', 'async def main(): pass\n', /must take one argument/],
    ['exits', 'import sys\nsys.exit(0)\n', /SystemExit/],
  ]
  for (const [name, source, message] of files) {
    const { next, child } = startHost(t, fileOf(t, `${name}.py`, source))
    const ended = once(child, 'exit')
    const said = await next()
    t.equal(said.type, 'failed')
    t.match(said.message, message, name)
    await ended
    t.equal(child.exitCode, 1)
  }
  const bare = fileOf(t, 'bare.py', 'async def main(ctx):\n    """Answers."""\n    return "bare"\n')
  const host = await hostOf(t, bare)
  t.match(host.hello.agents, [{ name: 'bare', description: 'Answers.' }])
  host.send(beginOf('bare'))
  t.match(await host.next(), { outcome: { answer: 'bare' } })
})

t.test('asyncio works as it does elsewhere', { skip }, async t => {
  const host = await waysOf(t)
  await t.test('a call begins when it is made, not when it is awaited', async t => {
    for (const way of ['begins_before_await', 'creates_tasks']) {
      const { next, give } = host.go(way)
      t.match((await next()).moves, [{ name: 'a' }, { name: 'b' }])
      give(text(1, 'A'), text(2, 'B'))
      t.match(await next(), {
        seen: 2,
        outcome: { answer: ['A', 'B'].sort(() => (way === 'creates_tasks' ? 0 : -1)) },
      })
    }
  })
  await t.test('task groups', { skip: noGroups }, async t => {
    const { next, give } = host.go('groups')
    t.equal((await next()).moves.length, 3)
    give(text(2, 'B'), text(3, 'C'), text(1, 'A'))
    t.match(await next(), { outcome: { answer: ['A', 'B', 'C'] } })
  })
  await t.test('a task group that fails stops its other calls', { skip: noGroups }, async t => {
    const { next, give } = host.go('group_fails')
    await next()
    give({ n: 2, error: { kind: 'tool', message: 'broken' } })
    const { moves, outcome } = await next()
    t.same(moves, [
      { do: 'drop', of: 1 },
      { do: 'drop', of: 3 },
    ])
    t.same(outcome, { answer: ['broken'] })
  })
  await t.test('timeouts of asyncio are timers of the journal', async t => {
    for (const way of ['waits_at_most', ...(isOld ? [] : ['times_out'])]) {
      const late = host.go(way)
      const { moves } = await late.next()
      const [tool, sleep] = moves.sort((a: Message, b: Message) => (a.do < b.do ? 1 : -1))
      t.match([tool, sleep], [{ do: 'tool' }, { do: 'sleep', until: way === 'times_out' ? 1500 : 3000 }])
      late.give({ n: sleep.n, value: null })
      t.match(await late.next(), { moves: [{ do: 'drop', of: tool.n }], outcome: { answer: 'too slow' } })
    }
    const soon = host.go('waits_at_most')
    const { moves } = await soon.next()
    const [tool, sleep] = moves.sort((a: Message, b: Message) => (a.do < b.do ? 1 : -1))
    soon.give(text(tool.n, 'in time'))
    t.match(await soon.next(), { moves: [{ do: 'drop', of: sleep.n }], outcome: { answer: 'in time' } })
  })
  await t.test('shields, locks and generators', async t => {
    const shielded = host.go('shields')
    const { moves } = await shielded.next()
    shielded.give({ n: moves.find((move: Message) => move.do === 'sleep').n, value: null })
    t.match(await shielded.next(), { moves: [] })
    shielded.give(text(moves.find((move: Message) => move.do === 'tool').n, 'A'))
    t.match(await shielded.next(), { outcome: { answer: 'A' } })
    const locked = host.go('locks')
    t.equal((await locked.next()).moves.length, 1)
    locked.give(text(1, 'A'))
    t.match((await locked.next()).moves, [{ n: 2, name: 'b' }])
    locked.give(text(2, 'B'))
    t.match(await locked.next(), { outcome: { answer: ['A', 'B'] } })
    const left = host.go('leaves_generator')
    await left.next()
    left.give(text(1, 'A'))
    t.match(await left.next(), { outcome: { answer: 'A' } })
  })
  await t.test('as_completed takes calls; coroutines, whose order would differ, are refused', async t => {
    const ends = host.go('as_it_ends')
    await ends.next()
    ends.give(text(2, 'B'), text(1, 'A'))
    t.match(await ends.next(), { outcome: { answer: ['B', 'A'] } })
    t.match((await host.go('unordered').next()).outcome.error, {
      name: 'TypeError',
      message: /no fixed order: give it tasks, made by asyncio.create_task/,
    })
  })
  await t.test('sets of tasks have the same order in every run', async t => {
    const endOf = async (others: number): Promise<Message> => {
      const { next, give } = host.go('iterates_over_set', { config: { way: 'iterates_over_set', others } })
      await next()
      give(text(4, 'D'))
      const { moves, outcome } = await next()
      return { moves, outcome }
    }
    const first = await endOf(1)
    t.equal(first.moves.length, 9)
    for (const others of [10, 111, 1212, 5]) t.same(await endOf(others), first)
  })
  await t.test('a moment to sleep until', async t => {
    const { next, give } = host.go('sleeps_until')
    t.match((await next()).moves, [{ do: 'sleep', until: Date.UTC(2030, 0, 1) }])
    give({ n: 1, value: null })
    t.match(await next(), { outcome: { answer: 'awake' } })
  })
  await t.test('what is cancelled is dropped, at once and also before it has begun to wait', async t => {
    const { next, give } = host.go('drops')
    const { moves } = await next()
    t.match(
      moves.map((move: Message) => [move.do, move.of ?? move.n]),
      [
        ['tool', 1],
        ['run', 2],
        ['tool', 3],
        ['model', 4],
        ['drop', 1],
        ['drop', 2],
        ['tool', 5],
        ['drop', 3],
        ['drop', 4],
      ],
    )
    give(...[1, 2, 3, 4].map(n => ({ n, error: { kind: 'dropped', message: 'dropped' } })), text(5, 'last'))
    t.match(await next(), { seen: 5, outcome: { answer: 'last' } })
  })
  t.notMatch(host.errors(), /Traceback|never retrieved/)
})

t.test('what reaches outside is refused, and the error names ctx.run', { skip }, async t => {
  const host = await waysOf(t)
  for (const way of ['connects', 'goes_to_thread', 'other_loop']) {
    const { outcome } = await host.go(way).next()
    t.match(outcome.error, { name: 'RuntimeError', message: /ctx\.run\(name, fn\)/ }, way)
  }
  const { next } = host.go('awaits_foreign')
  t.match(await next(), { moves: [] })
  t.match(await next(), { outcome: { error: { name: 'ForeignAwait', message: /ctx\.run\(name, fn\)/ } } })
  t.match(host.errors(), /ways \(task_1\): the code waits, .*ctx\.run\(name, fn\)/)
  const thread = host.go('set_by_thread')
  t.match(await thread.next(), { moves: [] })
  t.match(await thread.next(), { outcome: { answer: 'set' } })
  t.match(await host.go('never_ends').next(), {
    outcome: { error: { message: /does a loop never end/ } },
  })
})

t.test('a misuse says what to do', { skip }, async t => {
  const host = await waysOf(t)
  const misuses: [string, RegExp][] = [
    ['returns_a_date', /^the answer of the agent must be JSON, but when\[0\] is a date: give text/],
    ['returns_a_call', /\[0\] is a call that was not awaited: await it first/],
    ['returns_nan', /^the answer of the agent must be JSON, but a is nan/],
    ['returns_large_number', /which cannot hold 1152921504606846976 exactly \(it\): give it as text/],
    ['goes_deep', /is nested too deep, or holds itself/],
    ['gives_a_set', /^the arguments of ctx\.tool\('a'\) must be JSON, but ids is a set/],
    ['gives_a_list', /^the arguments of ctx\.tool\('a'\) must be a dict; they are a list/],
    ['has_no_name', /^ctx\.tool needs a name first/],
    ['has_bad_timeout', /^the timeout of ctx\.tool\('a'\) must be a number of milliseconds; it is '1s'/],
    ['has_bad_retries', /^retries of ctx\.tool\('a'\) must be a whole number; it is -1/],
    ['runs_a_value', /^ctx\.run\('a', fn\) needs a function/],
    ['says_a_number', /^ctx\.say takes text; it got a int/],
    [
      'asks_too_much',
      /^what is given to ctx\.tool has \d+ bytes of JSON, more than 8388608: store it elsewhere/,
    ],
    ['gives_too_many', /^the arguments of ctx\.tool\('a'\) has more than 90000 values: store it elsewhere/],
    ['names_a_prototype', /has the key '__proto__'/],
    ['has_long_name', /^the name that ctx\.tool got has 257 characters, more than 256/],
    ['sleeps_naively', /^ctx\.sleep needs a datetime with a time zone/],
    ['exits', /^the code has called exit \(enough\): return the answer instead/],
    ['exits_in_a_task', /^the code has called exit \(3\)/],
  ]
  for (const [way, message] of misuses) {
    let turn = await host.go(way).next()
    while (!turn.outcome) turn = await host.next()
    t.match(turn.outcome.error.message, message, way)
    if (!/^(returns|goes)/.test(way)) t.match(turn.outcome.error.stack, /ways\.py/, 'the stack has the file')
  }
  t.match((await host.go('uses_ctx_late').next()).outcome, { answer: 'done' })
  await until(() => host.errors().includes('late: ctx.say was used after the agent had ended'))
  const { next, run } = host.go('uses_ctx_in_run')
  await next()
  run(1)
  t.match((await next()).moves, [
    { do: 'ran', error: { message: /^ctx\.tool was used inside of ctx\.run\('effect'\)/ } },
  ])
})

t.test('a long text is said in parts, and a long message comes in parts', { skip }, async t => {
  const host = await waysOf(t)
  const said = host.go('says_much')
  const texts: string[] = []
  let turn = await said.next()
  for (; ; turn = await said.next()) {
    texts.push(...turn.moves.map(({ text }: Message) => text))
    if (turn.outcome) break
  }
  t.equal(texts.join(''), 'é'.repeat(5 << 18))
  t.ok(texts.length === 3 && texts.every(({ length }) => length <= 1 << 19))
})

t.test('the function of a run', { skip }, async t => {
  const host = await waysOf(t)
  const ranOf = async (way: string): Promise<Message> => {
    const { next, run } = host.go(way)
    await next()
    run(1)
    return (await next()).moves[0]
  }
  t.match(await ranOf('run_gives_a_date'), {
    error: {
      name: 'TypeError',
      message: /^what the function of ctx\.run\('date'\) has returned must be JSON, but it is a date/,
    },
  })
  t.match(await ranOf('run_is_async'), { value: [7, true] })
  t.match(await ranOf('run_gives_an_awaitable'), { value: 7 })
  await t.test('one that blocks runs in a thread, and holds up nothing else', async t => {
    const { next, run } = host.go('run_blocks')
    await next()
    run(1)
    host.send({ type: 'ping' })
    t.same(await host.next(), { type: 'pong' })
    t.match((await next()).moves, [{ do: 'ran', of: 1, value: true }])
  })
  await t.test('forty that block run side by side', async t => {
    const { next, give } = host.go('runs_block_each_other')
    const ran: Message[] = []
    while (ran.length < 40) ran.push(...(await next()).moves.filter((move: Message) => move.do === 'ran'))
    t.same(
      ran.filter(({ error }) => error),
      [],
    )
    give(...ran.map(({ of, value }) => ({ n: of, value })))
    for (let turn = await next(); ; turn = await next()) {
      if (!turn.outcome) continue
      t.same(turn.outcome, { answer: 40 })
      break
    }
  })
  await t.test('one whose time is over is cancelled', async t => {
    const { next, run, give } = host.go('run_is_slow')
    t.match((await next()).moves, [{ timeout_ms: 100 }])
    run(1)
    give({ n: 1, error: { kind: 'timeout', message: 'late' } })
    t.match(await next(), { moves: [], outcome: { answer: 'too slow' } })
    await until(() => host.errors().includes('effect cancelled'))
  })
  await t.test(
    'when the server stops a lease, its run and its code hear of it, and nothing is sent',
    async t => {
      const { next, run, stop } = host.go('run_watches_cancelled')
      await next()
      run(1)
      await new Promise(resolve => setTimeout(resolve, 100))
      stop()
      await until(
        () => host.errors().includes('effect has seen it') && host.errors().includes('code cancelled'),
      )
      host.send({ type: 'ping' })
      t.same(await host.next(), { type: 'pong' })
    },
  )
})

t.test('no more than 1,000 entries are open at once', { skip }, async t => {
  const host = await waysOf(t)
  const { next, give } = host.go('many')
  const asked = new Set<number>()
  let answered = 0
  for (;;) {
    const turn = await next()
    for (const move of turn.moves) asked.add(move.n)
    t.ok(asked.size - answered <= 1000)
    if (turn.outcome) {
      t.match(turn.outcome, { answer: 1500 })
      break
    }
    const results = [...asked].slice(answered, answered + 250).map(n => text(n, 'A'))
    if (results.length === 0) continue
    answered += results.length
    give(...results)
  }
})

t.test('results that come in many messages are one journal', { skip }, async t => {
  const host = await waysOf(t)
  const live = host.go('locks')
  const entries = (await live.next()).moves
  live.give(text(1, 'A'))
  entries.push(...(await live.next()).moves)
  live.stop()
  const { next, give } = host.go('locks', { entries: entries.map(storedOf), results: [] })
  t.match(await next(), { seen: 0, moves: [] })
  give(text(1, 'A'))
  t.match(await next(), { seen: 1, moves: [] })
  give(text(2, 'B'))
  t.match(await next(), { outcome: { answer: ['A', 'B'] } })
  await t.test('an entry that the code never asks for is a change', async t => {
    const all = [...entries, { do: 'tool', name: 'third', digest: 'x' }].map(storedOf)
    const changed = host.go('locks', { entries: all, results: [{ ...text(1, 'A'), at: 1001 }] })
    t.match(await changed.next(), { seen: 1, moves: [] })
    t.match(await changed.next(), {
      outcome: { changed: { n: 3, was: { do: 'tool', name: 'third', digest: 'x' } } },
    })
  })
})

t.test('a host ends with the server, and at SIGTERM gives its leases back', { skip }, async t => {
  const host = await waysOf(t)
  const waiting = host.go('locks')
  await waiting.next()
  const running = host.go('run_blocks')
  await running.next()
  running.run(1)
  const ended = once(host.child, 'exit')
  await new Promise(resolve => setTimeout(resolve, 100))
  host.child.kill('SIGTERM')
  t.same(await host.next(), { type: 'stopping' })
  t.match(await host.next(), { type: 'release', lease: waiting.lease })
  t.match(await host.next(), { type: 'turn', lease: running.lease, moves: [{ do: 'ran', value: true }] })
  t.match(await host.next(), { type: 'release', lease: running.lease })
  await ended
  t.equal(host.child.exitCode, 0)

  const another = await waysOf(t)
  const gone = once(another.child, 'exit')
  another.child.stdin?.end()
  await gone
})

t.test('a failure that nobody awaits is told in one line', { skip }, async t => {
  const host = await waysOf(t)
  const { next, give } = host.go('fails_unseen')
  await next()
  give({ n: 1, error: { kind: 'tool', message: 'broken' } }, text(2, 'B'))
  t.match(await next(), { outcome: { answer: 'B' } })
  await until(() => host.errors().includes('ToolError: broken'))
})
