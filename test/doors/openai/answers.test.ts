// Results of calls that clients send together with other things, once or again.
import type OpenAI from 'openai'
import t from 'tap'
import { readResponse } from '../../../src/doors/openai/responses/request.ts'
import { answerTurn } from '../../../src/doors/send.ts'
import { serveHere } from '../../support/server.ts'
import { all, ask, clientOf, scriptedModel, taskOf } from './clients.ts'

const model = await scriptedModel(t)
const { script } = model
const { api, url, lines } = await serveHere(t, model.env)
const client = clientOf(url)
type Call = OpenAI.Responses.ResponseFunctionToolCall
type Input = OpenAI.Responses.ResponseInputItem[]
const callsTo = (...names: string[]) => ({ tool_calls: names.map(name => ({ name, arguments: {} })) })
const callsIn = ({ output }: OpenAI.Responses.Response) =>
  output.filter((item): item is Call => item.type === 'function_call')
const outputOf = ({ call_id }: Call) => ({ type: 'function_call_output' as const, call_id, output: 'blue' })
const user = (content: string) => ({ role: 'user' as const, content })
const tool = { type: 'function' as const, function: { name: 'ask', parameters: ask.parameters } }
/** The first response of a task whose model first makes these calls, then gives these answers. */
const begun = async (calls: object, ...rest: object[]) => {
  await script([calls, ...rest])
  return client.responses.create({ model: 'model', input: 'Ask me', tools: [ask] })
}

t.test('results that come again together with a message are the same answer', async t => {
  const first = await begun(callsTo('ask'), { text: 'Blue it is.' }, { text: 'Twice!' })
  const [call] = callsIn(first) as [Call]
  const input: Input = [outputOf(call), user('Be brief.')]
  const whole: Input = [user('Ask me'), call, ...input]
  const again = { headers: { 'x-stainless-retry-count': '1' } }
  const keyed = { headers: { 'idempotency-key': 'a key of mine' } }

  const named = { model: 'model', previous_response_id: first.id, input }
  const second = await client.responses.create(named, keyed)
  t.equal(second.output_text, 'Blue it is.')
  t.match(model.asked.at(-1)?.request, { messages: [{}, {}, {}, { role: 'user', content: 'Be brief.' }] })
  const asked = model.asked.length
  for (const options of [{}, again, keyed]) {
    t.equal((await client.responses.create(named, options)).id, second.id)
    t.equal((await client.responses.create({ model: 'model', input: whole }, options)).id, second.id)
  }
  t.equal(model.asked.length, asked, 'the model is asked once')

  const other = await client.responses.create({
    model: 'model',
    input: [...whole.slice(0, -1), user('Again.')],
  })
  t.equal(other.output_text, 'Twice!', 'another message is a new task')
})

t.test('messages of tools that come again together with a message are the same answer', async t => {
  await script([callsTo('ask'), { text: 'Blue it is.' }, { text: 'Twice!' }])
  const messages: OpenAI.Chat.ChatCompletionMessageParam[] = [user('Ask me')]
  const body = { model: 'model', tools: [tool], messages }
  const message = (await client.chat.completions.create(body)).choices[0]?.message
  const [call] = message?.tool_calls ?? []
  if (message === undefined || call === undefined) throw new Error('there is no call')
  messages.push(message, { role: 'tool', tool_call_id: call.id, content: 'blue' }, user('Be brief.'))
  const second = await client.chat.completions.create(body)
  const headers = { 'x-stainless-retry-count': '1' }
  t.same(await client.chat.completions.create(body, { headers }), second)
  t.equal(second.choices[0]?.message.content, 'Blue it is.')
})

t.test('everything that the user says with results reaches the task', async t => {
  const first = await begun(callsTo('ask', 'ask'), { text: 'Both.' })
  const [one, two] = callsIn(first) as [Call, Call]
  const image = 'data:image/png;base64,iVBORw0KGgo='
  const second = await client.responses.create({
    model: 'model',
    previous_response_id: first.id,
    input: [
      outputOf(one),
      user('a'),
      outputOf(two),
      { role: 'user', content: [{ type: 'input_image', image_url: image, detail: 'auto' }] },
      user('b'),
    ],
  })
  t.equal(second.output_text, 'Both.')
  const told = JSON.stringify(
    (model.asked.at(-1)?.request as { messages: object[] } | undefined)?.messages.at(-1),
  )
  t.match(told, /"text":"a".*image_url.*"text":"b"/)

  const third = await begun(callsTo('ask'), { text: 'Done.' })
  const [call] = callsIn(third) as [Call]
  const input: Input = [outputOf(call), user('a'), { role: 'developer', content: 'Be brief.' }, user('b')]
  const body = { model: 'model', previous_response_id: third.id }
  await t.rejects(client.responses.create({ ...body, input }), {
    status: 400,
    param: 'input[2]',
    message: /role developer behind results/,
  })
  const whole = await client.responses.create({ ...body, input: [outputOf(call), user('a'), user('b')] })
  t.equal(whole.output_text, 'Done.')
  const messages = (model.asked.at(-1)?.request as { messages: object[] } | undefined)?.messages
  t.match(messages?.at(-1), { role: 'user', content: 'a\n\nb' })
})

t.test('everything that the user says with messages of tools reaches the task', async t => {
  await script([callsTo('ask'), { text: 'Done.' }])
  const messages: OpenAI.Chat.ChatCompletionMessageParam[] = [user('Ask me')]
  const body = { model: 'model', tools: [tool] }
  const message = (await client.chat.completions.create({ ...body, messages })).choices[0]?.message
  const [call] = message?.tool_calls ?? []
  if (message === undefined || call === undefined) throw new Error('there is no call')
  messages.push(message, { role: 'tool', tool_call_id: call.id, content: 'blue' }, user('a'))
  const told = [...messages, { role: 'system' as const, content: 'Be brief.' }]
  await t.rejects(client.chat.completions.create({ ...body, messages: told }), {
    status: 400,
    param: 'messages[4]',
    message: /role system behind results/,
  })
  const whole = await client.chat.completions.create({ ...body, messages: [...messages, user('b')] })
  t.equal(whole.choices[0]?.message.content, 'Done.')
  const seen = (model.asked.at(-1)?.request as { messages: object[] } | undefined)?.messages
  t.match(seen?.at(-1), { role: 'user', content: 'a\n\nb' })
})

t.test('ids of calls that others have made stay as they are', async t => {
  const calls = ['functions.x:0', 'functions.x:1']
  const seenIds = () => {
    type Seen = { role: string; tool_calls?: { id: string }[]; tool_call_id?: string; content: string }
    const { messages = [] } = (model.asked.at(-1)?.request ?? {}) as { messages?: Seen[] }
    const results = messages.filter(({ role }) => role === 'tool')
    t.same(
      results.map(({ content }) => content),
      ['0', '1'],
    )
    const ids = messages.flatMap(({ tool_calls = [] }) => tool_calls.map(({ id }) => id))
    t.equal(new Set(ids).size, 2)
    t.same(
      results.map(({ tool_call_id }) => tool_call_id),
      ids,
    )
  }
  await script([{ text: 'Seen.' }])
  await client.responses.create({
    model: 'model',
    input: [
      user('Ask'),
      ...calls.map(call_id => ({
        type: 'function_call' as const,
        call_id,
        name: 'ask',
        arguments: '{}',
      })),
      ...calls.map((call_id, n) => ({ type: 'function_call_output' as const, call_id, output: String(n) })),
      user('And?'),
    ],
  })
  seenIds()
  await script([{ text: 'Seen.' }])
  await client.chat.completions.create({
    model: 'model',
    messages: [
      user('Ask'),
      {
        role: 'assistant',
        tool_calls: calls.map(id => ({
          id,
          type: 'function' as const,
          function: { name: 'ask', arguments: '{}' },
        })),
      },
      ...calls.map((id, n) => ({ role: 'tool' as const, tool_call_id: id, content: String(n) })),
      user('And?'),
    ],
  })
  seenIds()
})

t.test('a thousand references to the items of a task read it once', async t => {
  let reads = 0
  const message = { type: 'message', id: 'msg_1', role: 'assistant', message_content: 'Hello' }
  const text = JSON.stringify({ output: [message] })
  const deps = {
    tasks: {
      queries: { visible: () => ({ id: 'task_1', session_id: 'sess_1' }) },
      recall: {
        ofRow: () => {
          reads += 1
          return { text }
        },
      },
    },
    agents: { list: () => [{ place: '', info: { name: 'echo' } }] },
    pause: async () => {},
  }
  const reference = { type: 'item_reference' as const, id: 'msg_1.task_1' }
  const body = { model: 'echo', input: Array.from({ length: 1000 }, () => reference) }
  const { create } = await readResponse(body, { id: 'tok_1', role: 'admin' } as never, deps as never)
  t.same(create.history_messages, Array(1000).fill(message))
  t.equal(reads, 1)
})

t.test('a body with reasoning that has no id is the same body when it comes again', async t => {
  await script([{ text: 'Once.' }, { text: 'Twice!' }])
  const thought = { type: 'reasoning', encrypted_content: 'sealed', summary: [] }
  const input = [
    user('Think'),
    thought,
    { role: 'assistant' as const, content: 'So.' },
    user('And?'),
  ] as Input
  const body = { model: 'model', input }
  const options = { headers: { 'idempotency-key': 'reasoning without an id' } }
  const first = await client.responses.create(body, options)
  t.same(await client.responses.create(body, options), first)
  t.equal(first.output_text, 'Once.')
  const { data } = await client.responses.inputItems.list(first.id, { order: 'asc' })
  t.equal(new Set(data.map(({ id }) => id)).size, 4)
})

const brokenThenCall = [
  { text: 'half of', finish_reason: null, cut: true },
  { text: 'The whole text.', ...callsTo('ask') },
]

t.test('a response that ends with calls says nothing twice after a step that broke off', async t => {
  await script(brokenThenCall)
  const first = await client.responses.create({ model: 'model', input: 'Ask me', tools: [ask] })
  t.equal(first.output_text, 'The whole text.')
  t.match(first.output[0], { type: 'message', status: 'incomplete', content: [] })
  t.same((await client.responses.retrieve(first.id)).output, first.output)
})

t.test('a completion that ends with calls leaves out what a step said before it broke off', async t => {
  const body = { model: 'model', tools: [tool], messages: [user('Ask me')] }
  await script(brokenThenCall)
  const { choices } = await client.chat.completions.create(body)
  t.match(choices, [{ finish_reason: 'tool_calls', message: { content: 'The whole text.' } }])
  await script(brokenThenCall)
  const chunks = await all(await client.chat.completions.create({ ...body, stream: true }))
  const text = chunks.map(({ choices: [choice] }) => choice?.delta.content ?? '').join('')
  t.equal(text, 'half of\n\nThe whole text.', 'a stream has said it already')
})

t.test('a completion that fails after ten seconds breaks off, and a stream of it says why', async t => {
  const fails = [{ delay_ms: 10_500, error: { status: 400, message: 'no such thing' } }]
  const body = { model: 'model', messages: [user('Wait')] }
  await script([...fails, ...fails])
  const whole = client.chat.completions.create(body).then(
    () => undefined,
    error => error,
  )
  const streamed = client.chat.completions
    .create({ ...body, stream: true })
    .then(all)
    .catch(error => error)
  t.notMatch(await whole, { status: 424 })
  t.ok((await whole) instanceof Error)
  t.match(await streamed, { code: 'task_failed' })
})

t.test('the feed of a caller who left before the answer was followed is closed', async t => {
  let close = () => {}
  const closed = new Promise<void>(resolve => {
    close = resolve
  })
  const feed = {
    close,
    // biome-ignore lint/correctness/useYield: a feed that has nothing to say
    async *frames() {
      await closed
    },
  }
  const place = { release() {} }
  const deps = {
    tasks: { openFeed: () => feed, streamOf: (id: string) => id },
    serving: {
      longAnswers: { ofCaller: () => ({ place: () => place }) },
      stopping: new AbortController().signal,
    },
  }
  const reply = { raw: { closed: true, destroyed: true, once() {} } }
  const turn = { taskId: 'task_1', turn: -1 }
  const answer = answerTurn(deps as never, {} as never, reply as never, turn, {
    take() {},
    finish: () => ({}),
  })
  await t.rejects(answer, { code: 'ECONNRESET' })
})

const approves = (script: object[]) => ({
  user_message_content: 'go',
  stream: false,
  agent_config: { agent_id: 'script', approve: ['calculator'], script },
  client_tools: [tool],
})

/** Approves the call of a task that waits for it. */
const approveIn = async (taskId: string) => {
  const { metadata } = (await taskOf(api, taskId)) as unknown as {
    metadata: { pending_inputs: { call_id: string; metadata?: { approval?: boolean } }[] }
  }
  const call = metadata.pending_inputs.find(({ metadata }) => metadata?.approval)
  await api('POST', `/tasks/${taskId}/approvals`, { call_id: call?.call_id, decision: 'approve' })
}

t.test('a call that waits for an approval is none that the client must answer', async t => {
  const sum = { tool: 'calculator', arguments: { expression: '1+1' } }
  const asks = { tool: 'ask', arguments: {} }
  const made = await api('POST', '/tasks', approves([{ tools: [asks, sum] }, { message: 'Done.' }]))
  const { result } = (await made.json()) as { result: { id: string } }
  const first = await client.responses.retrieve(`resp_${result.id}`)
  const [call] = callsIn(first) as [Call]
  t.equal(callsIn(first).length, 1)
  const body = { model: 'script', input: [outputOf(call)], background: true }
  const second = await client.responses.create(body)
  t.equal(second.status, 'in_progress')
  t.equal((await client.responses.retrieve(second.id)).status, 'in_progress')
  const { data } = await client.responses.inputItems.list(second.id)
  t.match(data, [{ type: 'function_call_output', call_id: call.call_id, output: 'blue' }])
  const rest = client.responses.retrieve(second.id, { stream: true }).then(all)
  await approveIn(result.id)
  t.equal((await rest).at(-1)?.type, 'response.completed')
  const last = await client.responses.retrieve(second.id)
  t.equal(last.output_text, 'Done.')
  t.match(last.output, [{ type: 'mcp_call', name: 'calculator', output: '2' }, { type: 'message' }])
})

t.test('a call is shown once when an approval comes before the answer of the client', async t => {
  const sum = { tool: 'calculator', arguments: { expression: '1+1' } }
  const asks = { tool: 'ask', arguments: {} }
  const made = await api('POST', '/tasks', approves([{ tools: [asks, sum] }, { message: 'Done.' }]))
  const { result } = (await made.json()) as { result: { id: string } }
  const first = await client.responses.retrieve(`resp_${result.id}`)
  const [call] = callsIn(first) as [Call]
  await approveIn(result.id)
  t.same(await client.responses.retrieve(first.id), first, 'the first response stays as it was')
  const second = await client.responses.create({ model: 'script', input: [outputOf(call)] })
  t.equal(second.previous_response_id, first.id)
  t.match(second.output, [{ type: 'mcp_call', name: 'calculator', output: '2' }, { type: 'message' }])
  t.same(await client.responses.retrieve(second.id), second)
  t.same((await client.responses.create({ model: 'script', input: [outputOf(call)] })).id, second.id)
})

t.test('the operator was told of no error', async t => {
  t.same(
    lines.filter(({ level }) => level === 'error'),
    [],
  )
})
