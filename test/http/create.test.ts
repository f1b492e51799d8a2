import t, { type Test } from 'tap'
import { type Body, brief, read, type TaskJson } from '../support/http.ts'
import { serveHere } from '../support/server.ts'
import { follow } from '../support/sse.ts'

const { api } = await serveHere(t)
const create = (body: object, headers = {}) =>
  read(api('POST', '/tasks', { user_message_content: 'hello', stream: false, ...body }, headers))

const bodies: Record<string, object> = {
  echo: { client_id: 'echo' },
  demo: { client_id: 'demo' },
  'no agent named': {},
  script: {
    agent_config: { agent_id: 'script', script: [{ reasoning: 'well' }, { message: 'a b', delta_ms: 1 }] },
  },
}

const fields = {
  object: 'string',
  id: 'string',
  session_id: 'string',
  user_id: 'string',
  status: 'string',
  created_at: 'number',
  output: 'array',
  usage: 'object',
  error: 'object',
  input_required: 'object',
  metadata: 'object',
  previous_task_id: 'string',
  rollouts: 'array',
}
const required = ['object', 'id', 'session_id', 'user_id', 'status', 'created_at', 'output']
const kindOf = (value: unknown) => (Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value)

/** The fields of a task, exactly: none missing, none that the interface does not have, none null. */
const isTask = (t: Test, task: TaskJson) => {
  for (const name of required) t.ok(name in task, `has ${name}`)
  for (const [name, value] of Object.entries(task)) {
    t.equal(kindOf(value), fields[name as keyof typeof fields], `${name} is known and of its kind`)
  }
  t.equal(task.object, 'task')
  t.ok(Number.isInteger(task.created_at) && Math.abs(task.created_at - Date.now() / 1000) < 60, 'in seconds')
  for (const item of task.output) {
    t.match(item.id, item.type === 'reasoning' ? /^rs_/ : /^msg_/)
    t.match(item.status, /^(in_progress|completed|incomplete)$/)
  }
}

/** The three ways to ask; the slow agents play side by side before the tests look at what they did. */
const ask = async (name: string, body: object) => {
  const [waited, background, streamed] = await Promise.all([
    create({ ...body, request_id: `chain ${name}` }),
    create({ ...body, background: true }),
    follow(api('POST', '/tasks', { user_message_content: 'x', ...body, stream: true })),
  ])
  await streamed.rest()
  const events = `/tasks/${background.body.result.id}/events`
  const later = await follow(api('GET', events, undefined, { accept: 'text/event-stream' }))
  await later.rest()
  return { waited, background, streamed, later }
}
const asked = Promise.all(
  Object.entries(bodies).map(async ([name, body]) => [name, await ask(name, body)] as const),
).then(all => new Map(all))

for (const name of Object.keys(bodies)) {
  const of = async () => (await asked).get(name) as Awaited<ReturnType<typeof ask>>

  t.test(`${name}: waits for the end and gives it in an envelope`, async t => {
    const { status, headers, body: answer } = (await of()).waited
    t.equal(status, 200)
    t.match(headers.get('content-type'), 'application/json')
    t.same(Object.keys(answer).sort(), ['id', 'jsonrpc', 'result'])
    t.match(answer, { jsonrpc: '2.0', id: `chain ${name}`, result: { status: 'completed' } })
    isTask(t, answer.result)
    t.match(answer.result.id, /^task_/)
    t.match(answer.result.session_id, /^sess_/)
    t.equal(answer.result.user_id, 'default')
    t.ok(answer.result.output.length > 0)
    t.ok(answer.result.output.every(item => item.status === 'completed'))
    const { body: again } = await read(api('GET', `/tasks/${answer.result.id}`))
    t.same(again.result, answer.result, 'GET gives the same task')
  })

  t.test(`${name}: in the background it answers before the end`, async t => {
    const { background, later } = await of()
    t.equal(background.status, 200)
    isTask(t, background.body.result)
    t.match(background.body.result.status, /^(created|queued|working)$/)
    t.equal(later.frames().at(-1)?.type, 'task.completed')
  })

  t.test(`${name}: streamed, its last frame holds the task that GET gives`, async t => {
    const { streamed } = await of()
    t.equal(streamed.response.status, 200)
    const last = streamed.frames().at(-1)
    t.equal(last?.type, 'task.completed')
    isTask(t, last?.task as TaskJson)
    const { body: now } = await read(api('GET', `/tasks/${last?.task_id}`))
    t.same(now.result, last?.task)
  })
}

t.test('echo says the text of every part of its message, in order', async t => {
  const user_message_content = [
    'one',
    { type: 'input_text', text: 'two' },
    { type: 'image_url', image_url: { url: 'https://pictures.example/a.png' } },
    { type: 'text', text: 'three' },
  ]
  const { body } = await create({ client_id: 'echo', user_message_content })
  t.match(body.result.output, [
    {
      type: 'message',
      role: 'assistant',
      message_content: [{ type: 'output_text', text: 'onetwothree' }],
    },
  ])
})

t.test('an empty message is a message', async t => {
  for (const user_message_content of ['', []]) {
    t.equal((await create({ client_id: 'echo', user_message_content })).status, 200)
  }
})

t.test('the agent is agent_config.agent_id, else client_id, else the default', async t => {
  const said = (body: Body) => body.result.output.length
  t.equal(said((await create({ client_id: 'echo' })).body), 1)
  t.equal(said((await create({ client_id: 'demo', agent_config: { agent_id: 'echo' } })).body), 1)
  t.equal(said((await create({ client_id: 'echo', agent_config: { agent_id: 'demo' } })).body), 2)
  t.equal(said((await create({ client_id: 'some app of ours' })).body), 2, 'an unknown client_id is no error')
})

t.test('ids of the caller are kept', async t => {
  const ids = { task_id: 'my/task?#%', session_id: 'my~session', user_id: 'Zoë 😀' }
  const { body } = await create({ client_id: 'echo', ...ids })
  t.match(body.result, { id: ids.task_id, session_id: ids.session_id, user_id: ids.user_id })
  const { body: got } = await read(api('GET', `/tasks/${encodeURIComponent(ids.task_id)}`))
  t.same(got.result, body.result)
})

t.test('metadata comes back as it was given', async t => {
  const metadata = {
    a: null,
    b: [1, { c: 1.5e300 }],
    '': 'empty',
    Ünï: '\u0000\ud800',
    constructor: 'x',
    1: 0,
  }
  const { body } = await create({ client_id: 'echo', metadata })
  t.same(body.result.metadata, { ...metadata, agent: 'echo' })
  t.same((await create({ client_id: 'echo' })).body.result.metadata, { agent: 'echo' })
})

t.test('keys of metadata that the service writes are refused, each of them', async t => {
  const metadata = { mine: 1, expires_at: 1, reason: 'x', pending_inputs: [], ignored_fields: null }
  const { status, body } = await create({ metadata })
  t.equal(status, 422)
  t.same(brief(body.detail).sort(), [
    'body metadata expires_at value_error',
    'body metadata ignored_fields value_error',
    'body metadata pending_inputs value_error',
    'body metadata reason value_error',
  ])
})

t.test('fields that are not known are ignored, and named', async t => {
  const { status, body } = await create({ client_id: 'echo', temperature: 1, zzz: null, metadata: { a: 1 } })
  t.equal(status, 200)
  t.same(body.result.metadata, { a: 1, agent: 'echo', ignored_fields: ['temperature', 'zzz'] })
})

t.test('in a long body, too, fields that are not known are named, however long they are', async t => {
  const long = 'x'.repeat(100_000)
  const asked = {
    client_id: 'echo',
    agent_confg: { deep: long },
    zzz: 1,
    [long]: 1,
    user_message_content: long,
  }
  const { status, body } = await create(asked)
  t.equal(status, 200)
  t.same(body.result.metadata?.ignored_fields, ['agent_confg', 'zzz'])
  t.match(body.result.output, [{ message_content: [{ text: long }] }])
})

t.test('keys that are not known are named by their path, at any depth', async t => {
  const { status, body } = await create({
    client_id: 'echo',
    user_message_content: [{ type: 'text', text: 'x', colour: 'red', annotations: [] }],
    agent_config: {
      temper: 'calm',
      inference_args: { anything: 1 },
      tool_mcp_config: { tools: { url: 'https://example.com/mcp', timeout: 5 } },
      script: [{ message: 'x', loud: true }],
    },
    client_tools: [
      { type: 'function', title: 'F', function: { name: 'f', parameters: { any: 1 }, beta: 1 } },
    ],
    history_messages: [
      { type: 'message', role: 'user', message_content: 'before', mood: 'good' },
      {
        type: 'tool_result',
        call_id: 'c',
        message_content: 'r',
        block_list: [{ type: 'x', any: 1 }],
        took: 3,
      },
    ],
    structured_output: { type: 'string', format: 'x' },
    metadata: { any: { thing: 1 } },
    env: { ANY: 'x' },
  })
  t.equal(status, 200)
  t.same([...((body.result.metadata?.ignored_fields ?? []) as string[])].sort(), [
    'agent_config.script.0.loud',
    'agent_config.temper',
    'agent_config.tool_mcp_config.tools.timeout',
    'client_tools.0.function.beta',
    'client_tools.0.title',
    'history_messages.0.mood',
    'history_messages.1.took',
    'user_message_content.0.colour',
  ])
})

t.test(
  'code for agents and interpreters never refuses a task, and is named when it has no effect',
  async t => {
    const code = {
      code_interpreter_config: { timeout: 1 },
      code_for_agent: { main: ['pass'] },
      code_for_interpreter: null,
    }
    const ofNoAgent = Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`field${n}`, n]))
    for (const client_id of ['echo', 'demo', 'script']) {
      const agent_config = { ...code, script: [{ message: 'hi' }] }
      const { status, body, text } = await create({ client_id, agent_config, ...ofNoAgent })
      t.equal(status, 200, text)
      const named = body.result.metadata?.ignored_fields as string[]
      t.same(named.slice(0, 2), ['agent_config.code_interpreter_config', 'agent_config.code_for_agent'])
      t.equal(named.length, 100)
    }
  },
)

t.test('a thousand unknown fields are no reason for an answer of a thousand names', async t => {
  const many = Object.fromEntries(Array.from({ length: 1000 }, (_, n) => [`field${n}`, n]))
  const { status, body } = await create({ client_id: 'echo', ...many })
  t.equal(status, 200)
  const named = body.result.metadata?.ignored_fields as string[]
  t.ok(named.length > 0 && named.length <= 1000)
})

t.test('a script that is no script is explained step by step', async t => {
  const of = async (script: unknown) => {
    const { status, body } = await create({ agent_config: { agent_id: 'script', script } })
    t.equal(status, 422, JSON.stringify(script))
    return brief(body.detail)
  }
  const at = 'body agent_config script'
  t.same(await of(undefined), [`${at} missing`])
  t.same(await of(null), [`${at} missing`])
  t.same(await of('x'), [`${at} list_type`])
  t.same(await of([{}, { message: 'a', fail: { code: 1, message: 'b' } }]), [
    `${at} 0 value_error`,
    `${at} 1 value_error`,
  ])
  t.same(await of([{ message: 1 }, 'x', { sleep_ms: -1 }, { delta_ms: 1.5 }, { fail: { code: '1' } }]), [
    `${at} 0 message string_type`,
    `${at} 1 dict_type`,
    `${at} 2 sleep_ms greater_than_equal`,
    `${at} 3 delta_ms int_from_float`,
    `${at} 4 fail message missing`,
    `${at} 4 fail code int_type`,
  ])
})

t.test('a script of no steps completes with no output', async t => {
  const { body } = await create({ agent_config: { agent_id: 'script', script: [] } })
  t.match(body.result, { status: 'completed', output: [] })
})

t.test('a script that fails is a failed task in a 200', async t => {
  const error = { code: -32000, message: 'the model is gone' }
  const script = [{ message: 'so far' }, { fail: error }, { message: 'never' }]
  const { status, body } = await create({ agent_config: { agent_id: 'script', script } })
  t.equal(status, 200)
  t.notOk('error' in body)
  t.match(body.result, { status: 'failed', error, output: [{ status: 'completed' }] })
  t.equal(body.result.output.length, 1)
})

t.test('usage of a script is added up', async t => {
  const usage = { input_tokens: 3, output_tokens: 4, total_tokens: 7 }
  const { body } = await create({ agent_config: { agent_id: 'script', script: [{ usage }, { usage }] } })
  t.match(body.result.usage, { input_tokens: 6, output_tokens: 8, total_tokens: 14 })
})

t.test('a request cannot give a command to run, nor a URL that is none', async t => {
  const tool_mcp_config = {
    a: { command: 'sh', args: ['-c', 'true'] },
    b: { url: 'file:///etc/passwd' },
    c: { url: 'https://tools.example/mcp' },
  }
  const { status, body } = await create({ agent_config: { tool_mcp_config } })
  t.equal(status, 422)
  t.same(brief(body.detail).sort(), [
    'body agent_config tool_mcp_config a args value_error',
    'body agent_config tool_mcp_config a command value_error',
    'body agent_config tool_mcp_config b url value_error',
  ])
})
