// The kind: results go back in the order in which the tools finished. Many templates of models ignore the ids, so results
// follow their calls in the order of the calls.
import t from 'tap'
import { replayTasks, type SentMessage, sse } from '../../agents/streams/replay.ts'
import { callsOf, result, tool } from '../../http/agent-tasks.ts'
import { delta } from '../../support/fake-model.ts'

const calls = (...given: [name: string, args: object][]) => ({
  body: [
    sse(
      delta({
        tool_calls: given.map(([name, args], index) => ({
          index,
          id: `their-${index}`,
          function: { name, arguments: JSON.stringify(args) },
        })),
      }),
      delta({}, 'tool_calls'),
      '[DONE]',
    ),
  ],
})
const done = { body: [sse(delta({ content: 'done' }, 'stop'), '[DONE]')] }
const resultsIn = (messages: SentMessage[] = []) =>
  messages.flatMap(({ role, tool_call_id, content }) => (role === 'tool' ? [[tool_call_id, content]] : []))
const slow = (text: string) =>
  ['run_javascript', { code: `for (let i = 0; i < 3e5; i++);\n"${text}"` }] as [string, object]
const quick = (text: string) => ['run_javascript', { code: `"${text}"` }] as [string, object]

const tables: Record<string, [string, object][]> = {
  'the slow one first': [slow('a'), quick('b'), quick('c')],
  'the slow one last': [quick('a'), quick('b'), slow('c')],
  'the same call twice': [quick('a'), quick('a')],
  'one that fails at once': [slow('a'), ['run_javascript', { code: 'throw new Error("b")' }], quick('c')],
  'one without its tool': [slow('a'), ['no_such_tool', { at: 1 }], quick('c')],
}

t.test('tools of the server', async t => {
  const { ask, asked } = await replayTasks(t, ({ content, role }) =>
    role === 'tool' ? done : calls(...(tables[String(content)] ?? [])),
  )
  for (const [name, given] of Object.entries(tables)) {
    const task = await ask({ user_message_content: name })
    t.equal(task.status, 'completed', name)
    const sent = resultsIn(asked.at(-1)?.messages)
    t.same(
      sent.map(([id]) => id),
      given.map((_, n) => `their-${n}`),
      name,
    )
    for (const [n, [tool, { code }]] of (given as [string, { code?: string }][]).entries()) {
      const word = /"(\w)"/.exec(code ?? '')?.[1] ?? tool
      t.match(String(sent[n]?.[1]), word, `${name}: each has its own result`)
    }
  }
})

t.test('tools of the client', async t => {
  const { asked, post, answer, becomes } = await replayTasks(t, ({ role }) =>
    role === 'user' ? calls(['mine', { n: 0 }], quick('b'), ['mine', { n: 2 }]) : done,
  )
  for (const order of [
    [0, 2],
    [2, 0],
  ]) {
    const { body } = await post({ client_tools: [tool('mine')], background: true })
    const waiting = await becomes(body.result.id, 'input-required')
    const ids = callsOf(waiting).map(({ call_id }) => String(call_id))
    for (const n of order) {
      const { status, text } = await answer(waiting.id, result(String(ids[n]), `result ${n}`))
      t.equal(status, 200, text)
    }
    await becomes(waiting.id, 'completed')
    t.match(resultsIn(asked.at(-1)?.messages), [
      ['their-0', 'result 0'],
      ['their-1', /b/],
      ['their-2', 'result 2'],
    ])
  }
})

t.test('results that a request brings', async t => {
  const { ask, asked } = await replayTasks(t, () => done)
  const call = (call_id: string) => ({ type: 'tool_call', call_id, name: 'look', arguments: '{}' })
  const brought: Record<string, [history: object[], ids: string[]]> = {
    'in another order': [
      [call('a'), call('b'), result('b', 'B'), result('a', 'A')],
      ['a', 'b'],
    ],
    'without one': [
      [call('a'), call('b'), result('b', 'B')],
      ['a', 'b'],
    ],
    'without any': [
      [call('a'), call('b')],
      ['a', 'b'],
    ],
    'one for a call that is not there': [
      [call('a'), result('x', 'X'), result('a', 'A')],
      ['a', 'x'],
    ],
    'with a message between them': [
      [
        call('a'),
        call('b'),
        result('b', 'B'),
        { type: 'message', role: 'user', message_content: 'hm' },
        result('a', 'A'),
      ],
      ['a', 'b'],
    ],
  }
  for (const [name, [history_messages, ids]] of Object.entries(brought)) {
    const task = await ask({ history_messages })
    t.equal(task.status, 'completed', name)
    const { messages = [] } = asked.at(-1) ?? {}
    const sent = resultsIn(messages)
    t.same(sent.map(([id]) => id).sort(), ids, name)
    const made = messages.flatMap(({ tool_calls = [] }) => tool_calls.map(({ id }) => id))
    t.same(
      made,
      sent.map(([id]) => id),
      `${name}: in the order of the calls`,
    )
  }
})
