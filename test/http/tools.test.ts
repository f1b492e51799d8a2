// Tool calls as a client sees them: items, frames, lists that allow and forbid, tools that stop.
import t from 'tap'
import { brief, type Item } from '../support/http.ts'
import { serveHere } from '../support/server.ts'
import type { Frame } from '../support/sse.ts'
import { callId, callsOf, holds, outline, resultsOf, script, tasksOf, textsOf, tool } from './agent-tasks.ts'

const { api, lines } = await serveHere(t)
const tasks = tasksOf(api)
const { play, stream, answer, becomes, post, act, get } = tasks

const sum = { tool: 'calculator', arguments: { expression: '6*7' } }
const ask = { tool: 'ask', arguments: {} }
const end = { message: 'so: $result' }
const client_tools = [tool('ask'), tool('tell')]
const refused = ['tool_result incomplete', 'message completed']
/** A call and its result, then the agent goes on. */
const isRefused = (task: Parameters<typeof outline>[0]) => outline(task).slice(1).join() === refused.join()

t.test('a call and its result are items, frame by frame as documented', async t => {
  const opened = await stream({ agent_config: script(sum, end) })
  const text = await opened.rest()
  const frames = opened.frames()
  const task_id = frames[0]?.task_id ?? ''
  const call = frames.find(({ type }) => type === 'task.output_item.done')?.item as Item
  t.match(call, {
    type: 'tool_call',
    id: /^tc_./,
    call_id: /^call_./,
    name: 'calculator',
    arguments: '{"expression":"6*7"}',
    status: 'completed',
  })
  const { id: item_id, call_id } = call
  const numbered = (from: number, bodies: object[]) =>
    bodies.map((body, index) => ({ sequence_number: from + index, task_id, agent_step: 1, ...body }))
  t.same(
    frames.slice(2, 6),
    numbered(2, [
      { type: 'task.output_item.added', item: { ...call, status: 'in_progress', arguments: '' } },
      { type: 'task.tool_call_arguments.delta', item_id, call_id, delta: call.arguments },
      { type: 'task.tool_call_arguments.done', item_id, call_id, arguments: call.arguments },
      { type: 'task.output_item.done', item: call },
    ]),
  )
  const result = frames[8]?.item as Item
  t.match(result, { type: 'tool_result', id: /^tr_./, call_id, status: 'completed', block_list: [] })
  t.equal(result.message_content, '42')
  t.same(
    frames.slice(6, 9),
    numbered(6, [
      {
        type: 'task.output_item.added',
        item: { ...result, status: 'in_progress', message_content: '', block_list: [] },
      },
      {
        type: 'task.tool_result.done',
        item_id: result.id,
        call_id,
        message_content: '42',
        block_list: [],
      },
      { type: 'task.output_item.done', item: result },
    ]),
  )
  t.equal(frames[9]?.agent_step, 2)
  const { task } = await holds(t, tasks, task_id, text)
  t.same(outline(task), ['tool_call calculator completed', 'tool_result completed', 'message completed'])
  t.same(textsOf(task), ['so: 42'])
})

t.test('calls of one turn are items in their order, each with a result of its own', async t => {
  const calls = [1, 2, 3, 4].map(n => ({ tool: 'calculator', arguments: { expression: `${n}+0` } }))
  const task = await play([{ tools: calls }, end])
  t.same(
    callsOf(task).map(item => item.arguments),
    calls.map(call => JSON.stringify(call.arguments)),
  )
  t.equal(new Set(callsOf(task).map(({ call_id }) => call_id)).size, 4)
  t.same(
    callsOf(task).map(
      ({ call_id }) => resultsOf(task).find(item => item.call_id === call_id)?.message_content,
    ),
    ['1', '2', '3', '4'],
  )
  const { frames } = await holds(t, tasks, task.id)
  const steps = frames.filter(({ type }) => type === 'task.output_item.added').map(frame => frame.agent_step)
  t.same(steps, [1, 1, 1, 1, 1, 1, 1, 1, 2])
})

t.test('a step without a call, and a turn without calls, are no items', async t => {
  const task = await play([{ tools: [] }, { message: 'on' }])
  t.same(outline(task), ['message completed'])
})

t.test('a tool that fails says why, and the agent goes on', async t => {
  const task = await play([{ tool: 'calculator', arguments: { expression: '1/' } }, end])
  t.equal(task.status, 'completed')
  t.ok(isRefused(task))
  t.match(resultsOf(task), [{ message_content: /./, block_list: [] }])
  t.equal(textsOf(task)[0], `so: ${resultsOf(task)[0]?.message_content}`)
  await holds(t, tasks, task.id)
})

t.test('arguments that do not fit are told to the agent, and the tool does not run', async t => {
  const wrong = [{}, { expression: 1 }, { expression: ['1'] }, { expression: null }, { expresion: '1' }]
  for (const args of [...wrong, { expression: '1', more: 1 }]) {
    const task = await play([{ tool: 'calculator', arguments: args }, end])
    t.ok(isRefused(task), JSON.stringify(args))
    t.match(resultsOf(task)[0]?.message_content, /arguments/)
  }
})

t.test('an unknown tool gets an incomplete result with a reason, and the agent goes on', async t => {
  for (const name of ['nobody', 'Calculator', 'agent_', 'agent_nobody', 'constructor', '__proto__', ' ']) {
    const task = await play([{ tool: name }, end])
    t.equal(task.status, 'completed', name)
    t.same(outline(task), [`tool_call ${name} completed`, ...refused])
    t.match(resultsOf(task)[0]?.message_content, /./)
  }
  const { frames } = await holds(t, tasks, (await play([{ tool: 'nobody' }])).id)
  const done = frames.find(({ type }) => type === 'task.tool_result.done')
  t.match(done, { message_content: /nobody/, block_list: [] })
})

type Lists = Record<string, unknown>
/** What becomes of a call of ours, of the client's, and of a subagent under some lists. */
const fate = async (lists: Lists): Promise<string> => {
  const said: string[] = []
  for (const step of [sum, ask, { subagent: 'echo', input: 'hi' }]) {
    const { agent_config, ...more } = lists as { agent_config?: object }
    const task = await play([step, end], {
      client_tools,
      ...more,
      agent_config: { ...script(step, end), ...agent_config },
    })
    const waits = task.status === 'input-required'
    said.push(waits || resultsOf(task)[0]?.status === 'completed' ? 'yes' : isRefused(task) ? 'no' : 'odd')
    if (waits) await act(task.id, 'cancel')
  }
  return said.join(' ')
}
const lists: [Lists, calculator_ask_echo: string, why: string][] = [
  [{}, 'yes yes yes', 'no list allows all'],
  [
    { allowed_tools: null, disallowed_tools: null, allowed_subagents: null, stop_tools: null },
    'yes yes yes',
    'null',
  ],
  [{ disallowed_tools: [], stop_tools: [] }, 'yes yes yes', 'an empty blacklist has no effect'],
  [{ allowed_tools: [] }, 'no yes yes', 'an empty whitelist forbids all tools of the server'],
  [{ allowed_tools: ['calculator'] }, 'yes yes yes', 'one of ours'],
  [{ allowed_tools: ['ask'] }, 'no yes yes', "one of the client's"],
  [{ allowed_tools: ['agent_echo'], allowed_subagents: [] }, 'no yes no', 'a subagent has a list of its own'],
  [{ allowed_tools: [], allowed_subagents: ['echo'] }, 'no yes yes', 'which alone decides'],
  [{ allowed_tools: ['nobody'] }, 'no yes yes', 'a name that nothing has'],
  [{ disallowed_tools: ['calculator'] }, 'no yes yes', 'one of ours is forbidden'],
  [{ disallowed_tools: ['ask', 'nobody'] }, 'yes no yes', "one of the client's is forbidden"],
  [{ disallowed_tools: ['agent_echo'] }, 'yes yes no', 'a subagent is forbidden'],
  [{ allowed_tools: ['ask'], disallowed_tools: ['ask'] }, 'no no yes', 'forbidden beats allowed'],
  [
    { allowed_subagents: ['echo'], disallowed_tools: ['agent_echo'] },
    'yes yes no',
    'forbidden beats allowed for a subagent, too',
  ],
  [{ allowed_subagents: [] }, 'yes yes no', 'no subagents'],
  [{ allowed_subagents: ['echo'] }, 'yes yes yes', 'this subagent'],
  [{ allowed_subagents: ['demo', 'nobody'] }, 'yes yes no', 'another subagent'],
  [{ agent_config: { allowed_tools: [] } }, 'no yes yes', 'the same list of the agent'],
  [{ agent_config: { allowed_tools: ['calculator'] }, allowed_tools: ['ask'] }, 'no yes yes', 'both hold'],
  [{ agent_config: { builtin_tools: [] } }, 'no yes yes', 'no tool of ours'],
  [{ agent_config: { builtin_tools: ['calculator'] } }, 'yes yes yes', 'this tool of ours'],
  [{ agent_config: { builtin_tools: ['read_file'] } }, 'no yes yes', 'another tool of ours'],
  [{ agent_config: { builtin_subagents: [] } }, 'yes yes no', 'no subagent of ours'],
  [{ agent_config: { builtin_subagents: ['echo'] } }, 'yes yes yes', 'this subagent of ours'],
]
for (const [given, expected, why] of lists) {
  t.test(`lists: ${why}: ${JSON.stringify(given)}`, async t => {
    t.equal(await fate(given), expected)
  })
}

t.test('a list that is none is refused with its place', async t => {
  for (const field of ['allowed_tools', 'disallowed_tools', 'allowed_subagents', 'stop_tools']) {
    for (const [value, loc] of [
      ['calculator', field],
      [[1], `${field} 0`],
      [{}, field],
    ] as const) {
      const { status, body } = await post({ client_id: 'echo', [field]: value })
      t.equal(status, 422)
      t.match(brief(body.detail)[0], `body ${loc} `)
    }
  }
})

t.test('a stop tool is executed, then the task is done', async t => {
  const task = await play([sum, end, end], { stop_tools: ['nobody', 'calculator'] })
  t.equal(task.status, 'completed')
  t.same(outline(task), ['tool_call calculator completed', 'tool_result completed'])
  t.match(resultsOf(task), [{ message_content: '42' }])
  const { frames } = await holds(t, tasks, task.id)
  t.equal(frames.at(-1)?.type, 'task.completed')
})

t.test('a stop tool that fails has been executed, too', async t => {
  const task = await play([{ tool: 'calculator', arguments: { expression: '1/' } }, end], {
    stop_tools: ['calculator'],
  })
  t.same(outline(task), ['tool_call calculator completed', 'tool_result incomplete'])
  t.equal(task.status, 'completed')
})

t.test('a stop tool that is forbidden, unknown or called wrongly stops nothing', async t => {
  const given: [object, Lists][] = [
    [sum, { disallowed_tools: ['calculator'], stop_tools: ['calculator'] }],
    [{ tool: 'nobody' }, { stop_tools: ['nobody'] }],
    [{ tool: 'calculator', arguments: {} }, { stop_tools: ['calculator'] }],
  ]
  for (const [step, more] of given) {
    const task = await play([step, end], more)
    t.equal(task.status, 'completed')
    t.ok(isRefused(task), JSON.stringify(step))
  }
})

t.test('a client tool that stops is not waited for: its call is the end of the task', async t => {
  const task = await play([ask, end], { client_tools, stop_tools: ['ask'] })
  t.equal(task.status, 'completed')
  t.same(outline(task), ['tool_call ask completed'])
  t.notOk(task.input_required)
  t.notOk(task.metadata?.pending_inputs)
  await holds(t, tasks, task.id)
})

t.test('a stop tool among others of its turn stops when those that run here have their results', async t => {
  const slow = { subagent: 'script', input: JSON.stringify([{ sleep_ms: 100 }, { message: 'slow' }]) }
  const name = 'agent_script'
  const call = { tool: name, arguments: { input: slow.input } }
  const task = await play([{ tools: [sum, call] }, end], { stop_tools: ['calculator'] })
  t.equal(task.status, 'completed')
  t.same(outline(task), [
    'tool_call calculator completed',
    `tool_call ${name} completed`,
    'tool_result completed',
    'tool_result completed',
  ])
  t.same(
    resultsOf(task).map(item => item.message_content),
    ['42', 'slow'],
  )
  await holds(t, tasks, task.id)
})

t.test('a stop tool beside a client tool: the client is not asked', async t => {
  for (const stop of ['calculator', 'ask', 'tell']) {
    const task = await play([{ tools: [sum, ask, { tool: 'tell' }] }, end], {
      client_tools,
      stop_tools: [stop],
    })
    t.equal(task.status, 'completed', stop)
    t.equal(callsOf(task).length, 3)
    t.match(resultsOf(task), [{ message_content: '42', status: 'completed' }])
    await holds(t, tasks, task.id)
  }
})

t.test('a subagent may be a stop tool', async t => {
  const task = await play([{ subagent: 'echo', input: 'bye' }, end], { stop_tools: ['agent_echo'] })
  t.equal(task.status, 'completed')
  t.same(outline(task), ['tool_call agent_echo completed', 'tool_result completed'])
})

t.test(
  'the next task of the session sees calls and results, and a placeholder where one is missing',
  async t => {
    const session_id = 'after-a-stop'
    await play([{ tools: [sum, ask] }], { client_tools, stop_tools: ['ask'], session_id })
    const next = await play([{ message: 'so: $result' }], { session_id })
    const { body } = await act(next.id, 'replay')
    t.match(body, { matches: true })
    const entries = (await (await api('GET', `/tasks/${next.id}/rollouts`)).json()) as {
      result: { input_messages: Item[] }[]
    }
    const seen = entries.result[0]?.input_messages ?? []
    t.same(
      seen.filter(({ type }) => type === 'tool_call').map(({ name }) => name),
      ['calculator', 'ask'],
    )
    const missing = seen.find(item => item.type === 'tool_result' && item.status === 'incomplete')
    t.match(missing, { message_content: /./, block_list: [] }, 'marked as missing')
    t.equal(missing?.call_id, seen.find(({ name }) => name === 'ask')?.call_id)
  },
)

t.test('files of the workspace are kept from call to call', async t => {
  const task = await play(
    [
      { tool: 'write_file', arguments: { path: 'a.txt', content: 'hello' } },
      { tool: 'read_file', arguments: { path: 'a.txt' } },
      end,
    ],
    { workspace_dir: 'mine' },
  )
  t.same(textsOf(task), ['so: hello'])
  const out = await play([{ tool: 'read_file', arguments: { path: '../../../etc/passwd' } }, end])
  t.ok(isRefused(out))
})

t.test('a cancel in the middle of a call leaves whole frames behind', async t => {
  const task = await play(
    [{ message: 'a' }, { tools: [sum, { tool: 'run_javascript', arguments: { code: 'for(;;);' } }] }],
    {
      background: true,
    },
  )
  const seen = (frames: Frame[]) =>
    frames.some(({ item }) => (item as Item | undefined)?.name === 'run_javascript')
  for (;;) if (seen(await tasks.frames(task.id))) break
  t.match(await act(task.id, 'cancel'), { status: 200, body: { status: 'canceled' } })
  await holds(t, tasks, task.id)
  t.equal((await get(task.id)).status, 'canceled')
})

t.test('a tool result may end an agent that has nothing more to say', async t => {
  const task = await play([ask], { client_tools })
  await answer(task.id, { call_id: callId(task), message_content: 'me' })
  const done = await becomes(task.id, 'completed')
  t.same(outline(done), ['tool_call ask completed', 'tool_result completed'])
})

t.test('the operator was told of no error', async t => {
  t.same(
    lines.filter(({ level }) => level === 'error'),
    [],
  )
})
