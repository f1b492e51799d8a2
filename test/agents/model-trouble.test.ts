// An endpoint in every kind of trouble: each has the outcome that decision 22 states.
import { existsSync, readFileSync } from 'node:fs'
import t, { type Test } from 'tap'
import {
  type AgentTask,
  callsOf,
  holds,
  outline,
  resultsOf,
  tasksOf,
  textsOf,
  tool,
} from '../http/agent-tasks.ts'
import { type Answer, calls, delta, fakeModel, says, usage } from '../support/fake-model.ts'
import { spawnServer } from '../support/server.ts'
import { modelTasks } from './model-tasks.ts'
import { type Played, recorded, replay, replayTasks, type SentMessage, sse } from './streams/replay.ts'

t.jobs = 6 // most of them wait

const done: Played = { body: [sse(delta({ content: 'done' }, 'stop'), '[DONE]')] }
/** How often an endpoint was asked by a task that says so. */
const askedBy = (asked: { body: string }[], name: string) =>
  asked.filter(({ body }) => body.includes(JSON.stringify(name))).length

t.test('a busy endpoint that does not say for how long is asked again after a while', async t => {
  const { ask, asked } = await modelTasks(t, [{ error: { status: 429, message: 'slow down' } }, says('now')])
  t.same(textsOf(await ask()), ['now'])
  t.equal(asked.length, 2)
})

t.test('a wait that the endpoint asks for is kept, and is no silence', async t => {
  const waits: Record<string, () => string> = {
    'in seconds': () => '2',
    'as a date': () => new Date(Date.now() + 3000).toUTCString(), // whole seconds: two at least
  }
  const askedAt: Record<string, number[]> = { 'in seconds': [], 'as a date': [] }
  const answer = ({ content }: SentMessage): Played => {
    const name = String(content)
    if (askedAt[name]?.push(performance.now()) !== 1) return done
    return { body: ['{}'], status: 429, headers: { 'retry-after': waits[name]?.() ?? '' } }
  }
  const { ask } = await replayTasks(t, answer, { MODEL_TIMEOUT_SECONDS: '1' })
  const wait = async (name: string) => {
    t.same(textsOf(await ask({ user_message_content: name })), ['done'])
    const [first = 0, second = 0, ...more] = askedAt[name] ?? []
    t.same(more, [], 'asked twice')
    t.ok(second - first > 1900, `${name}: asked again after ${second - first} ms, not before two seconds`)
  }
  await Promise.all(Object.keys(waits).map(wait))
})

t.test('an endpoint that fails to the end is asked four times, and what it said last is told', async t => {
  const failure = (message: string): Answer => ({
    error: { status: 500, message, headers: { 'retry-after': '0' } },
  })
  const failures = ['one', 'two', 'three', 'the engine is on fire'].map(failure)
  const { ask, asked } = await modelTasks(t, [...failures, says('too late')])
  const task = await ask()
  t.match(task, {
    status: 'failed',
    error: { code: -32000, message: "the model's endpoint answered 500: the engine is on fire" },
  })
  t.same(task.output, [])
  t.equal(asked.length, 4)
})

t.test('an endpoint that hangs up before it answers is asked four times', async t => {
  const hangsUp = async function* () {
    for (const nothing of [] as string[]) yield nothing
    throw new Error('the connection is closed')
  }
  const { ask, asked } = await replayTasks(t, () => ({ body: hangsUp() }))
  t.match(await ask(), { status: 'failed', error: { code: -32000 } })
  t.equal(asked.length, 4)
})

const half = { text: 'half of', finish_reason: null }
const brokenOff: Record<string, { answer: Answer; words: RegExp }> = {
  'breaks off': { answer: { ...half, cut: true }, words: /broke off/ },
  'holds a chunk that is no JSON': {
    answer: { chunks: [delta({ content: 'half of' }), '{"choices":[{"del', delta({ content: 'x' }, 'stop')] },
    words: /the model's/,
  },
  'holds a chunk that is an error': {
    answer: { chunks: [delta({ content: 'half of' }), { error: 'no more' }] },
    words: /no more/,
  },
}

/** Every attempt said half of it and then went wrong: what the task is then. */
const isBrokenOff = (t: Test, name: string, task: AgentTask, words: RegExp, asked: number) => {
  t.match(task, { status: 'failed', error: { code: -32000, message: words } }, name)
  t.equal(asked, 4, `${name}: begun four times`)
  t.same(outline(task), Array(4).fill('message incomplete'), name)
  t.same(textsOf(task), Array(4).fill('half of'), `${name}: what was said stays`)
  t.notOk('usage' in task, `${name}: what it used is not known`)
}

t.test('an answer that goes wrong each time fails the task, with all that was said', async t => {
  const answers = Object.entries(brokenOff).map(([when, { answer }]) => ({ ...answer, when }))
  const tasks = await modelTasks(t, answers)
  const fail = async ([name, { words }]: [string, { words: RegExp }]) => {
    const task = await tasks.ask({ user_message_content: name })
    isBrokenOff(t, name, task, words, askedBy(tasks.asked, name))
    await holds(t, tasks, task.id)
  }
  await Promise.all(Object.entries(brokenOff).map(fail))
})

t.test('an answer that goes wrong once is no harm: the step begins anew', async t => {
  const garbage = { chunks: [delta({ content: 'half of' }), 'garbage'] }
  const { ask, asked } = await modelTasks(t, [garbage, says('whole')])
  const task = await ask()
  t.same([task.status, textsOf(task), asked.length], ['completed', ['half of', 'whole'], 2])
  t.same(outline(task), ['message incomplete', 'message completed'])
})

t.test('an error inside the stream is told in the words of the endpoint', async t => {
  const errors: [name: string, said: string, words: string][] = [
    ['hosted-error-inside', 'Let me see', 'Somebody disconnected unexpectedly'],
    ['vllm-error-inside', 'Well', 'EngineCore encountered an issue'],
    ['llamacpp-error-inside', 'So', 'failed to find a free slot in the KV cache'],
  ]
  const { ask } = await replayTasks(t, ({ content }) => ({ body: [recorded(String(content))] }))
  await Promise.all(
    errors.map(async ([name, said, words]) => {
      const task = await ask({ user_message_content: name })
      t.match(task, { status: 'failed', error: { message: `the model's endpoint failed: ${words}` } })
      t.same(textsOf(task), Array(4).fill(said), name)
    }),
  )
})

t.test(
  'an endpoint that is silent for too long is left, four times; one that is only slow is not',
  async t => {
    const letters = 'abcdefghijklmnopqrstuvwxyz'
    const slow = [...letters].map(content => delta({ content })).concat(delta({}, 'stop'))
    const { ask, asked } = await modelTasks(
      t,
      [
        { when: 'no head', delay_ms: 600_000 },
        { ...half, when: 'no end', hang: true },
        { when: 'slow', chunks: slow, token_ms: 100 },
      ],
      { MODEL_TIMEOUT_SECONDS: '2' },
    )
    const say = (user_message_content: string) => ask({ user_message_content })
    const [noHead, noEnd, late] = await Promise.all([say('no head'), say('no end'), say('slow')])
    t.match(noHead, { status: 'failed', output: [], error: { message: /was silent for 2 s/ } })
    t.equal(askedBy(asked, 'no head'), 4)
    isBrokenOff(t, 'no end', noEnd, /was silent for 2 s/, askedBy(asked, 'no end'))
    t.same([textsOf(late), askedBy(asked, 'slow')], [[letters], 1])
    await Promise.all(asked.map(({ closed }) => closed)) // no connection is left open
  },
)

const html = '<html><body><h1>It works!</h1></body></html>'

t.test('a page that is no answer fails at once', async t => {
  const pages: [type: string, body: string][] = [
    ['text/html', html],
    ['text/plain', 'It works!'],
    ['application/json', ' '],
    ['application/json', '"It works!"'],
    ['application/json', '{"message":"It works!"}'],
    ['application/json', '{"choices":[]}'],
  ]
  const { ask, asked } = await replayTasks(t, ({ content }) => {
    const [type, body] = pages[Number(content)] ?? ['', '']
    return { body: [body], headers: { 'content-type': type } }
  })
  const show = async ([type, body]: [string, string], n: number) => {
    const task = await ask({ user_message_content: `${n}` })
    t.match(task, { status: 'failed', error: { message: /no answer.*MODEL_BASE_URL/ } }, `${type}: ${body}`)
    t.equal(asked.filter(({ messages }) => messages[0]?.content === `${n}`).length, 1, `${type}: ${body}`)
  }
  await Promise.all(pages.map(show))
})

t.test('a page that stands for a failure is told as it is, in part when it is long', async t => {
  const fails = (body: string): Answer => ({ error: { status: 500, body, headers: { 'retry-after': '0' } } })
  const pages = [`${html}${'<p>'.repeat(2000)}`, 'so '.repeat(2000)]
  const { ask } = await modelTasks(
    t,
    pages.flatMap(page => Array(4).fill(fails(page))),
  )
  const [page, long] = [await ask(), await ask()]
  t.equal(page.error?.message, "the model's endpoint answered 500: It works!")
  t.match(long.error?.message, "the model's endpoint answered 500: so so so")
  t.equal(long.error?.message.length, 1000)
})

const MiB = 1024 * 1024
/** 200 MiB of a body, in equal pieces. */
const flood = function* (piece: string | Uint8Array, first = '') {
  yield first
  for (let left = 200 * MiB; left > 0; left -= piece.length) yield piece
}
const x = 'x'.repeat(65_000)
const nameless = { tool_calls: [{ index: 0, function: { arguments: x } }] }
const json = { 'content-type': 'application/json' }
const longer = (limit: string) => `the model's answer is longer than ${limit}`
const floods: Record<string, { played: () => Played; says: string }> = {
  'one line without an end': {
    played: () => ({ body: flood(Buffer.from(x), 'data: ') }),
    says: longer('16 MiB'),
  },
  'an event of lines without an end': {
    played: () => ({ body: flood(Buffer.from(`data: ${x}\n`)) }),
    says: longer('16 MiB'),
  },
  'comments alone': {
    played: () => ({ body: flood(Buffer.from(`: ${x}\n\n`)) }),
    says: longer('16 MiB'),
  },
  'chunks that say nothing': {
    played: () => ({ body: flood(Buffer.from(sse({ choices: [], padding: x }))) }),
    says: longer('128 MiB'),
  },
  'arguments of a call that has no name': {
    played: () => ({ body: flood(Buffer.from(sse(delta(nameless)))) }),
    says: longer(''),
  },
  'a page': {
    played: () => ({ body: flood(Buffer.from(x), html), headers: { 'content-type': 'text/html' } }),
    says: longer('16 MiB'),
  },
  'a completion that is no stream': {
    played: () => ({ body: flood(Buffer.from(x), '{"choices":[{"message":{"content":"'), headers: json }),
    says: longer('16 MiB'),
  },
  'a refusal': {
    played: () => ({ body: flood(Buffer.from(x), '{"error":{"message":"'), status: 400, headers: json }),
    says: "the model's endpoint answered 400: an endless error",
  },
  'a failure': {
    played: () => {
      const headers = { ...json, 'retry-after': '0' }
      return { body: flood(Buffer.from(x), '{"error":{"message":"'), status: 500, headers }
    },
    says: "the model's endpoint answered 500: an endless error",
  },
}

/** The most memory that a process has ever held, in MiB. */
const peakOf = (pid: number): number =>
  Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024
const unmeasured = existsSync('/proc/self/status') ? {} : { skip: 'no process tells its memory here' }

/** A server process that is told each answer: every task fails, and the process grows by `most` MiB at most. */
const survives = async (
  t: Test,
  env: Record<string, string>,
  expected: [name: string, words: string][],
  most: number,
) => {
  const server = await spawnServer(t, t.testdir(), env)
  const { post } = tasksOf(server.api)
  const before = peakOf(server.pid)
  for (const [name, message] of expected) {
    const { body } = await post({ user_message_content: name })
    t.match(body.result, { status: 'failed', error: { code: -32000, message } }, name)
    const grown = peakOf(server.pid) - before
    t.ok(grown < most, `${name}: grown by ${Math.round(grown)} MiB`)
  }
  t.equal(server.stderr(), '', 'it is no failure of ours')
}

t.test('200 MB of anything fail the task, and take a bounded part of memory', unmeasured, async t => {
  const { env, asked } = await replay(t, ({ content }) => floods[String(content)]?.played() ?? done)
  const expected = Object.entries(floods).map(([name, { says }]): [string, string] => [name, says])
  await survives(t, env, expected, 400)
  await Promise.all(asked.map(({ closed }) => closed))
})

t.test('200 MB of what is stored as it comes fail the task, too', unmeasured, async t => {
  const text = `${'x'.repeat(599)} `
  const repeat = Math.ceil((200 * MiB) / text.length)
  const { env, asked } = await fakeModel(t, [{ text, repeat }])
  await survives(t, env, [['text', longer('8 Mi characters')]], 800)
  await asked[0]?.closed
})

const sum = (expression = '1+1') => ['calculator', JSON.stringify({ expression })] as [string, string]
const tooManyCalls = 'the model made more than 128 calls at once'

t.test('128 calls at once are run, and one more is refused', async t => {
  const many = (count: number) => calls(...Array.from({ length: count }, () => sum()))
  const { ask, asked } = await modelTasks(t, [many(128), says('done'), many(129)])
  const task = await ask()
  t.same([task.status, resultsOf(task).length], ['completed', 128])
  const refused = await ask()
  t.match(refused, { status: 'failed', error: { message: tooManyCalls } })
  t.same([resultsOf(refused), asked.length], [[], 3])
  t.ok(callsOf(refused).every(({ status }) => status === 'incomplete'))
})

t.test('calls without number are refused while they come', async t => {
  const endless = function* () {
    for (let index = 0; index < 5000; index++) {
      const [name, args] = sum()
      yield sse(delta({ tool_calls: [{ index, id: `c${index}`, function: { name, arguments: args } }] }))
    }
  }
  const { ask } = await replayTasks(t, () => ({ body: endless() }))
  const task = await ask()
  t.match(task, { status: 'failed', error: { message: tooManyCalls } })
  t.ok(task.output.length < 200, `${task.output.length} items were stored`)
})

const reasons = ['length', 'content_filter', 'tool_calls', 'function_call']

t.test('whatever the reason to finish, an answer is an answer', async t => {
  const all = [...reasons, 'stop', 'eos']
  const { ask, entries, asked } = await modelTasks(
    t,
    all.map(finish_reason => ({ text: 'so it is', finish_reason })),
  )
  for (const reason of all) {
    const task = await ask()
    t.same([task.status, textsOf(task)], ['completed', ['so it is']], reason)
    t.equal((await entries(task.id))[0]?.finish_reason, reason)
  }
  t.equal(asked.length, all.length)
})

t.test('an answer that says nothing is none, unless the endpoint calls it finished', async t => {
  const { ask, asked } = await modelTasks(
    t,
    [...reasons, 'stop'].map(finish_reason => ({ finish_reason })),
  )
  for (const reason of reasons) {
    const message = `the model said nothing (finish reason: ${reason})`
    t.match(await ask(), { status: 'failed', output: [], error: { code: -32000, message } })
  }
  t.match(await ask(), { status: 'completed', output: [] })
  t.equal(asked.length, reasons.length + 1)
})

t.test('calls are run whatever the reason to finish, even without one', async t => {
  const ends = ['stop', 'length', 'function_call', null]
  const { ask } = await modelTasks(
    t,
    ends.flatMap((finish_reason): Answer[] => [{ ...calls(sum('6*7')), finish_reason }, says('42')]),
  )
  for (const end of ends) {
    const task = await ask()
    const results = resultsOf(task).map(({ message_content }) => message_content)
    t.same([task.status, results], ['completed', ['42']], `${end}`)
  }
})

t.test('a call that was cut short for its length is told to the model, and not run', async t => {
  const cut: Answer = { ...calls(['write_file', '{"path":"a.txt","con']), finish_reason: 'length' }
  const { ask, asked } = await modelTasks(t, [cut, says('sorry')])
  const task = await ask()
  t.equal(task.status, 'completed')
  t.same(outline(task), ['tool_call write_file incomplete', 'message completed'])
  t.match(asked[1]?.request?.messages.at(-1), { role: 'user', content: /was cut off .* did not run/ })
  t.notOk('incomplete_details' in (task.metadata ?? {}), 'the answer in the end was not cut off')
})

t.test('a model whose calls are cut off again and again has failed, and the task says why', async t => {
  const cut: Answer = { ...calls(['write_file', '{"path":"a.txt","con']), finish_reason: 'length' }
  const { ask, asked } = await modelTasks(t, [cut, cut, says('never')])
  const task = await ask({ client_tools: [tool('write_file')] })
  t.match(task, { status: 'failed', error: { code: -32000, message: /cut off.*max_response_length/ } })
  t.equal(asked.length, 2)
})

t.test('of several calls the whole ones run, and the one that was cut off does not', async t => {
  const both = calls(['calculator', '{"expression":"6*7"}'], ['calculator', '{"expression":"1+'])
  const tasks = await modelTasks(t, [{ ...both, finish_reason: 'length' }, says('42')])
  const { body } = await tasks.post({ task_id: 'both' })
  const task = body.result as unknown as AgentTask
  t.equal(task.status, 'completed')
  t.same(outline(task), [
    'tool_call calculator completed',
    'tool_call calculator incomplete',
    'tool_result completed',
    'message completed',
  ])
  t.same(
    tasks.asked[1]?.request?.messages.map(({ role }) => role),
    ['user', 'assistant', 'tool'],
    'the model sees the call that was made',
  )
  await holds(t, tasks, 'both')
})

t.test('what was used is known whenever it is said', async t => {
  const answer = [delta({ role: 'assistant' }), delta({ content: null }), delta({ content: 'yes' })]
  const end = delta({}, 'stop')
  const used = (n: number) => ({ usage: usage(7, n).usage })
  const ways: Record<string, object[]> = {
    'in a chunk of its own': [...answer, end, usage(7, 3)],
    'with the end': [...answer, { ...end, ...used(3) }],
    'in every chunk': [...answer, end].map((chunk, n) => ({ ...chunk, ...used(n) })),
    'without choices': [...answer, end, used(3)],
    'before the end': [...answer, usage(7, 3), end],
    never: [{ choices: [] }, ...answer, { choices: [] }, end],
  }
  const { ask } = await modelTasks(
    t,
    Object.values(ways).map(chunks => ({ chunks })),
  )
  for (const way of Object.keys(ways)) {
    const task = await ask()
    t.same([task.status, textsOf(task)], ['completed', ['yes']], way)
    const expected = way === 'never' ? undefined : { input_tokens: 7, output_tokens: 3, total_tokens: 10 }
    t.same(task.usage, expected, way)
  }
})
