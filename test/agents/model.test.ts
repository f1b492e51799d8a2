// The agent with a model, against an endpoint that plays its part: what it sends, what it makes of the answers.
import t, { type Test } from 'tap'
import { type Answer, calls, delta, fakeModel, says } from '../support/fake-model.ts'
import { serveHere } from '../support/server.ts'

type Item = { type: string; status: string; [key: string]: unknown }
type Task = {
  id: string
  status: string
  output: Item[]
  usage?: object
  error?: { code: number; message: string }
}

const given = async (t: Test, ...answers: Answer[]) => {
  const { asked, env } = await fakeModel(t, answers)
  const { api } = await serveHere(t, env)
  const run = async (more: object = {}): Promise<Task> => {
    const answer = await api('POST', '/tasks', { user_message_content: 'hello', stream: false, ...more })
    return ((await answer.json()) as { result: Task }).result
  }
  const get = async (id: string): Promise<Task> =>
    ((await (await api('GET', `/tasks/${id}`)).json()) as { result: Task }).result
  return { asked, api, run, get }
}
const textOf = (item: Item | undefined): string =>
  ((item?.message_content ?? item?.content ?? []) as { text: string }[]).map(({ text }) => text).join('|')
const messagesIn = (request: { messages: unknown[] } | undefined) =>
  (request?.messages ?? []) as {
    role: string
    content: unknown
    tool_calls?: unknown[]
    tool_call_id?: string
  }[]

t.test('what the model says is the answer, with its usage; the key goes to the endpoint alone', async t => {
  const { asked, run } = await given(t, says('Hel', 'lo!'))
  const task = await run({
    agent_config: { developer_prompt: 'Be kind.' },
    inference_args: { temperature: 0.5 },
  })
  t.match(task, { status: 'completed', usage: { input_tokens: 7, output_tokens: 3, total_tokens: 10 } })
  t.equal(textOf(task.output[0]), 'Hello!')
  t.equal(asked[0]?.headers.authorization, 'Bearer sk-secret')
  t.match(asked[0]?.request, { model: 'fake-1', stream: true, temperature: 0.5 })
  t.same(messagesIn(asked[0]?.request), [
    { role: 'system', content: 'Be kind.' },
    { role: 'user', content: 'hello' },
  ])
  t.notMatch(JSON.stringify(task), /sk-secret/)
})

t.test('it is the default agent, and a conversation is sent on', async t => {
  const { asked, run } = await given(t, says('one'), says('two'))
  await run({ session_id: 's1' })
  await run({ session_id: 's1', user_message_content: 'and now?' })
  t.same(
    messagesIn(asked[1]?.request).map(({ role, content }) => [role, content]),
    [
      ['user', 'hello'],
      ['assistant', 'one'],
      ['user', 'and now?'],
    ],
  )
})

t.test('calls in pieces run at once, and their results go back', async t => {
  const twice = calls(['calculator', '{"expression":"6*7"}'], ['calculator', '{"expression":"1/0"}'])
  const { asked, run } = await given(t, twice, says('42'))
  const task = await run()
  t.equal(task.status, 'completed')
  t.same(
    task.output.map(({ type }) => type),
    ['tool_call', 'tool_call', 'tool_result', 'tool_result', 'message'],
  )
  const sent = messagesIn(asked[1]?.request)
  t.same(
    sent.map(({ role }) => role),
    ['user', 'assistant', 'tool', 'tool'],
  )
  t.equal(sent[1]?.tool_calls?.length, 2)
  t.ok(
    sent.some(({ content }) => content === '42'),
    'a failure is told to the model like a result',
  )
  const offered = (asked[0]?.request?.tools ?? []).map(tool => tool.function?.name)
  t.ok(offered.includes('calculator'))
  t.notOk(offered.includes('agent_demo'), 'agents without a model are not offered')
})

t.test('a call is streamed as it comes, and its frames say what the item says', async t => {
  const { api } = await given(t, calls(['calculator', '{"expression":"6*7"}']), says('42'))
  const answer = await api('POST', '/tasks', { user_message_content: 'hello', stream: true })
  const frames = [...(await answer.text()).matchAll(/^data: (.*)$/gm)].map(
    ([, data]) => JSON.parse(data ?? '').result,
  )
  const told = frames.filter(frame => frame.type.startsWith('task.tool_call_arguments'))
  t.equal(
    told
      .filter(({ type }) => type.endsWith('delta'))
      .map(({ delta }) => delta)
      .join(''),
    '{"expression":"6*7"}',
  )
  t.match(told.at(-1), { type: /done$/, arguments: '{"expression":"6*7"}', agent_step: 1 })
  t.same(
    frames.map(({ sequence_number }) => sequence_number),
    frames.map((_, n) => n),
  )
})

t.test('a name that comes after its arguments, and a call without any', async t => {
  const late: Answer = {
    chunks: [
      delta({ tool_calls: [{ index: 0, function: { arguments: '{"expression":' } }] }),
      delta({ tool_calls: [{ index: 0, function: { name: 'calculator', arguments: '"1+1"}' } }] }),
      delta({ tool_calls: [{ index: 1, function: { name: 'current_time' } }] }, 'tool_calls'),
    ],
  }
  const { run } = await given(t, late, says('done'))
  const { output } = await run()
  t.same(
    output.filter(({ type }) => type === 'tool_call').map(item => [item.name, item.arguments, item.status]),
    [
      ['calculator', '{"expression":"1+1"}', 'completed'],
      ['current_time', '{}', 'completed'],
    ],
  )
  t.equal(output.filter(item => item.type === 'tool_result' && item.status === 'completed').length, 2)
})

t.test('reasoning has three names', async t => {
  const thinks: Record<string, Answer> = {
    reasoning_content: { reasoning: 'hm', text: 'yes' },
    reasoning: { reasoning: 'hm', reasoning_as: 'reasoning', text: 'yes' },
    'think tag': { reasoning: 'hm', reasoning_as: 'think', text: 'yes' },
    'think tags in pieces': {
      chunks: ['<th', 'ink>h', 'm</', 'think>\n', 'yes']
        .map(content => delta({ content }))
        .concat(delta({}, 'stop')),
    },
  }
  for (const [name, answer] of Object.entries(thinks)) {
    const { run } = await given(t, answer)
    const { output } = await run()
    t.same(
      output.map(item => [item.type, textOf(item)]),
      [
        ['reasoning', 'hm'],
        ['message', 'yes'],
      ],
      name,
    )
  }
})

t.test('an endpoint that does not stream, and one that never says how it used, will do', async t => {
  const whole = JSON.stringify({ choices: [{ message: { content: 'whole' }, finish_reason: 'stop' }] })
  const json = { 'content-type': 'application/json' }
  const { run } = await given(
    t,
    { error: { status: 200, body: whole, headers: json } },
    { chunks: [delta({ content: 'x' }, 'stop')] },
  )
  t.equal(textOf((await run()).output[0]), 'whole')
  const second = await run()
  t.equal(second.status, 'completed')
  t.notOk('usage' in second)
})

t.test('a busy endpoint is asked again, as soon as it says', async t => {
  const busy = { error: { status: 429, message: 'slow down', headers: { 'retry-after': '0' } } }
  const { asked, run } = await given(t, busy, busy, says('at last'))
  t.equal(textOf((await run()).output[0]), 'at last')
  t.equal(asked.length, 3)
})

t.test('a refusal ends the task with what the provider said, but for the key', async t => {
  const { asked, run } = await given(t, { error: { status: 401, message: 'bad key sk-secret' } })
  t.match(await run(), {
    status: 'failed',
    error: { code: -32000, message: "the model's endpoint answered 401: bad key ***" },
  })
  t.equal(asked.length, 1, 'asked once')
})

t.test('an answer that breaks off stays as far as it came, and the step begins anew', async t => {
  const { run } = await given(t, { text: 'half a', cut: true, finish_reason: null }, says('whole'))
  const { status, output } = await run()
  t.equal(status, 'completed')
  t.same(
    output.map(item => [item.status, textOf(item)]),
    [
      ['incomplete', 'half a'],
      ['completed', 'whole'],
    ],
  )
})

t.test('a cancel reaches the socket', async t => {
  const { asked, api, get } = await given(t, { text: 'on and on', hang: true, finish_reason: null })
  const body = { user_message_content: 'hello', stream: false, background: true, task_id: 'held' }
  await api('POST', '/tasks', body)
  while (asked.length === 0) await new Promise(resolve => setTimeout(resolve, 10))
  t.equal((await api('POST', '/tasks/held/cancel')).status, 200)
  await asked[0]?.closed
  t.equal((await get('held')).status, 'canceled')
})

t.test('subagents and client tools are offered whatever the list of tools says, unless denied', async t => {
  const { asked, run } = await given(t, says('one'), says('two'), says('three'))
  const client_tools = [{ type: 'function', function: { name: 'ask', parameters: {} } }]
  const lists = [
    { allowed_tools: ['calculator'], agent_config: { allowed_tools: [] } },
    { allowed_tools: ['calculator'], allowed_subagents: [] },
    { allowed_tools: ['calculator'], allowed_subagents: ['echo'], disallowed_tools: ['ask'] },
  ]
  for (const list of lists) await run({ client_tools, ...list })
  t.same(
    asked.map(({ request }) => (request?.tools ?? []).map(tool => tool.function?.name)),
    [
      ['ask', 'agent_model'],
      ['ask', 'calculator'],
      ['calculator', 'agent_echo'],
    ],
  )
})

t.test('a client tool and a structured answer', async t => {
  const { asked, api, run, get } = await given(t, calls(['ask', '{}']), says('{"ok":true}'))
  const task = await run({
    client_tools: [{ type: 'function', function: { name: 'ask', parameters: {} } }],
    structured_output: { type: 'object', required: ['ok'] },
  })
  t.equal(task.status, 'input-required')
  const { call_id } = task.output[0] as unknown as { call_id: string }
  await api('POST', `/tasks/${task.id}/input`, { tool_results: [{ call_id, message_content: 'sure' }] })
  while ((await get(task.id)).status === 'working') await new Promise(resolve => setTimeout(resolve, 10))
  t.equal((await get(task.id)).status, 'completed')
  t.match(asked[1]?.request, { response_format: { type: 'json_schema' } })
  t.match(messagesIn(asked[1]?.request).at(-1), {
    role: 'tool',
    tool_call_id: 'fake_call_1',
    content: 'sure',
  })
})

t.test(
  'the model sees the arguments with which an approved call ran, and why another was refused',
  async t => {
    const sum = (expression: string) => ['calculator', JSON.stringify({ expression })] as [string, string]
    const { asked, api, run, get } = await given(t, calls(sum('1+1'), sum('2+2')), says('so'))
    const task = await run({ agent_config: { approve: ['calculator'] }, return_rollout: true })
    const decide = async (n: number, decision: object) => {
      while ((await get(task.id)).status !== 'input-required') await new Promise(go => setTimeout(go, 10))
      const { call_id } = task.output[n] as unknown as { call_id: string }
      await api('POST', `/tasks/${task.id}/approvals`, { call_id, ...decision })
    }
    await decide(0, { decision: 'approve', arguments: { expression: '20+3' } })
    await decide(1, { decision: 'refuse', reason: 'count yourself' })
    while ((await get(task.id)).status !== 'completed') await new Promise(go => setTimeout(go, 10))
    t.match(messagesIn(asked[1]?.request).slice(-3), [
      {
        role: 'assistant',
        tool_calls: [
          { function: { arguments: '{"expression":"20+3"}' } },
          { function: { name: 'calculator' } },
        ],
      },
      { role: 'tool', content: '23' },
      { role: 'tool', content: 'the call was refused by admin: count yourself' },
    ])
    const { rollouts } = (await get(task.id)) as unknown as { rollouts: { output_messages: object[] }[] }
    t.match(JSON.stringify(rollouts[0]?.output_messages), /1\+1/, 'the rollout has what the model said')
    t.equal((await api('POST', `/tasks/${task.id}/replay`)).status, 200)
  },
)

t.test('a model that says nothing has failed', async t => {
  const { run } = await given(t, { finish_reason: 'content_filter' })
  t.match(await run(), { status: 'failed', error: { message: /said nothing.*content_filter/ } })
})

t.test('what would break the protocol is refused by name; what has no effect is accepted', async t => {
  const { asked, api } = await given(t)
  const answer = await api('POST', '/tasks', {
    user_message_content: 'hello',
    stream: false,
    inference_args: { n: 2, top_p: 1 },
    agent_config: { inference_args: { messages: [] }, code_for_interpreter: 'x', code_for_agent: null },
  })
  t.equal(answer.status, 422)
  const { detail } = (await answer.json()) as { detail: { loc: string[] }[] }
  t.same(
    detail.map(({ loc }) => loc.join('.')),
    ['body.inference_args.n', 'body.agent_config.inference_args.messages'],
  )
  t.equal(asked.length, 0)
})
