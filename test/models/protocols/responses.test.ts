// OpenAI Responses, against the strict imitation of its endpoint.
import t from 'tap'
import { endOf } from '../../../src/agents/model/ends.ts'
import type { Answer } from '../../../src/fake-model/answer.ts'
import { type Fields, fieldsOf, listOf } from '../../../src/fake-model/question.ts'
import { replay, sse } from '../../agents/streams/replay.ts'
import { callsOf, holds, result, tasksOf, textsOf, tool } from '../../http/agent-tasks.ts'
import { fakeModel } from '../../support/fake-model.ts'
import { serveHere } from '../../support/server.ts'
import { bodyAt, pdf, png, sum, vendorTasks } from './vendor-tasks.ts'

const itemsOf = (body: Fields): Fields[] => listOf(body.input).map(fieldsOf)
const kindsOf = (body: Fields): unknown[] => itemsOf(body).map(({ type, role }) => type ?? role)

t.test('a first call has the instructions and the tools, and asks for sealed reasoning', async t => {
  const tasks = await vendorTasks(t, 'responses', [{ text: 'hello' }])
  const task = await tasks.ask({
    agent_config: { developer_prompt: 'Be exact.', max_response_length: 500 },
    inference_args: { reasoning_effort: 'low', reasoning: { summary: 'auto' }, metadata: null },
    user_message_content: 'hi',
  })
  t.same(textsOf(task), ['hello'])
  const body = bodyAt(tasks, 0)
  t.equal(tasks.requests[0]?.path, '/v1/responses')
  t.match(body, {
    instructions: 'Be exact.',
    input: [{ role: 'user', content: 'hi' }],
    max_output_tokens: 500,
    store: false,
    include: ['reasoning.encrypted_content'],
    reasoning: { effort: 'low', summary: 'auto' },
    stream: true,
  })
  t.notOk('metadata' in body, 'null unsets a field')
  t.ok(listOf(body.tools).every(each => fieldsOf(each).strict === false))
  const [entry] = await tasks.isRight(t, task.id)
  t.match(entry, { finish_reason: 'completed', response_id: /^resp_/, messages_field: 'input' })
})

t.test('sealed reasoning, parallel calls and their results go back exactly, over tasks', async t => {
  const tasks = await vendorTasks(t, 'responses', [
    {
      when: 'what is it',
      reasoning: 'I think 🦊, twice.',
      redacted: 'c2VhbGVk',
      text: 'Let me see.',
      tool_calls: [sum('6*7'), { name: 'look', arguments: {} }, sum('1+2')],
    },
    { when: '3', reasoning: 'Nearly.', tool_calls: [sum('1+1')] },
    { when: 'thanks', reasoning: 'Polite.', text: 'You are welcome.' },
    { when: '2', reasoning: 'Done.', text: 'It is 42.' },
  ])
  const request = { session_id: 's1', client_tools: [tool('look')] }
  const waiting = await tasks.ask({ ...request, user_message_content: 'what is it?' })
  t.equal(waiting.status, 'input-required')
  const shows = [
    { type: 'input_text', text: 'it shows' },
    { type: 'input_image', image_url: { url: png } },
    { type: 'file', file: { file_data: pdf, filename: 'a.pdf' } },
  ]
  await tasks.answer(waiting.id, result(String(waiting.input_required?.call_id), shows))
  const task = await tasks.becomes(waiting.id, 'completed')
  t.same(textsOf(task), ['Let me see.', 'It is 42.'])
  const next = await tasks.ask({ ...request, user_message_content: 'thanks' })
  await tasks.isRight(t, task.id, next.id)
  const second = bodyAt(tasks, 1)
  const calls = ['function_call', 'function_call', 'function_call']
  const outputs = ['function_call_output', 'function_call_output', 'function_call_output']
  t.same(kindsOf(second), ['user', 'reasoning', 'reasoning', 'assistant', ...calls, ...outputs])
  const items = itemsOf(second)
  t.match(items[1], {
    id: /^rs_/,
    summary: [{ type: 'summary_text', text: 'I think 🦊, twice.' }],
    encrypted_content: String,
  })
  t.match(items[2], { id: /^rs_/, summary: [], encrypted_content: 'c2VhbGVk' })
  t.same(
    items.slice(7).map(({ call_id }) => call_id),
    items.slice(4, 7).map(({ call_id }) => call_id),
    'results stand in the order of the calls, with the ids of the endpoint',
  )
  const looked = items.slice(4, 7).findIndex(({ name }) => name === 'look')
  t.same(items[7 + looked]?.output, [
    { type: 'input_text', text: 'it shows' },
    { type: 'input_image', image_url: png, detail: 'auto' },
    { type: 'input_file', filename: 'a.pdf', file_data: pdf },
  ])
  t.same(itemsOf(bodyAt(tasks, -1)).slice(0, items.length), items, 'what was sent is sent again')
  await holds(t, tasks, task.id)
})

t.test('images, files, names, sounds and instructions of a request are written as items', async t => {
  const tasks = await vendorTasks(t, 'responses', [{ text: 'I see.' }])
  const message = (role: string, message_content: unknown, more: object = {}) => ({
    type: 'message',
    role,
    message_content,
    ...more,
  })
  const task = await tasks.ask({
    history_messages: [
      message('system', 'Be kind.'),
      message('assistant', 'earlier'),
      message('developer', 'Be short.'),
      message('user', 'hello', { name: 'Ann' }),
      { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'Who is Ann?' }] },
    ],
    user_message_content: [
      { type: 'input_text', text: 'look' },
      { type: 'input_image', image_url: { url: png, detail: 'low' } },
      { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } },
      { type: 'file', file: { file_url: 'https://a.example/a.pdf', filename: 'a.pdf' } },
      { type: 'file', file: { file_data: 'data:text/plain;base64,aGk=', filename: 'a.txt' } },
      { type: 'file', file: { file_data: png.slice(22), filename: 'b.png' } },
    ],
  })
  await tasks.isRight(t, task.id)
  t.same(itemsOf(bodyAt(tasks, 0)), [
    { role: 'system', content: 'Be kind.' },
    { role: 'assistant', content: [{ type: 'output_text', text: 'earlier' }] },
    { role: 'developer', content: 'Be short.' },
    { role: 'user', content: 'Ann:\nhello' },
    { role: 'assistant', content: [{ type: 'output_text', text: '[thought] Who is Ann?' }] },
    {
      role: 'user',
      content: [
        { type: 'input_text', text: 'look' },
        { type: 'input_image', image_url: png, detail: 'low' },
        { type: 'input_text', text: '[a sound that this model cannot take]' },
        { type: 'input_file', file_url: 'https://a.example/a.pdf' },
        { type: 'input_text', text: '[file a.txt]\nhi' },
        { type: 'input_image', image_url: png, detail: 'auto' },
      ],
    },
  ])
})

t.test('another model of the session gets no reasoning, and takes what the first one said', async t => {
  const first = await fakeModel(t, [
    {
      when: 'hello',
      reasoning: 'Mine.',
      text: 'I look.',
      tool_calls: [{ ...sum('1+1'), id: 'x'.repeat(70) }],
    },
    { when: '2', text: 'It is two.' },
  ])
  const tasks = await vendorTasks(t, 'responses', [
    { reasoning: 'Also.', text: 'Still two.' },
    { text: 'So.' },
  ])
  const dataDir = t.testdir()
  const before = await serveHere(t, { DATA_DIR: dataDir, ...first.env })
  const ask = async (
    { api }: { api: Parameters<typeof tasksOf>[0] },
    user_message_content: string,
    model: string,
  ) => {
    const { status, text } = await tasksOf(api).post({
      session_id: 's',
      user_message_content,
      agent_config: { model },
    })
    t.equal(status, 200, text)
  }
  await ask(before, 'hello', 'first')
  await before.stop()
  const env = {
    MODEL_BASE_URL: `${tasks.endpoint.url}/responses`,
    MODEL: 'any',
    MODEL_API_KEY: 'sk-imitation',
  }
  const after = await serveHere(t, { DATA_DIR: dataDir, ...env })
  await ask(after, 'sure?', 'second')
  await ask(after, 'really?', 'third')
  t.same(tasks.refusals, [])
  t.same(kindsOf(bodyAt(tasks, 0)), [
    ...['user', 'assistant', 'function_call', 'function_call_output', 'assistant', 'user'],
  ])
  t.notMatch(JSON.stringify(bodyAt(tasks, 1).input), /reasoning|Also/)
})

t.test('structured output is asked for with its schema, beside what the request sets', async t => {
  const schema = { type: 'object', properties: { a: { type: 'number' } } }
  const tasks = await vendorTasks(t, 'responses', [{ text: '{"a":1}' }])
  const task = await tasks.ask({
    structured_output: schema,
    inference_args: { text: { verbosity: 'low' }, include: ['message.output_text.logprobs'] },
  })
  await tasks.isRight(t, task.id)
  t.match(bodyAt(tasks, 0), {
    text: { verbosity: 'low', format: { type: 'json_schema', name: 'answer', schema, strict: false } },
    include: ['reasoning.encrypted_content', 'message.output_text.logprobs'],
  })
})

t.test('usage and log probabilities mean the same as in chat completions, streamed and whole', async t => {
  const answer: Answer = {
    text: 'hello you',
    logprobs: true,
    usage: { prompt_tokens: 100, completion_tokens: 7, cached_tokens: 60, reasoning_tokens: 3 },
  }
  for (const MODEL_SWITCHES of ['stream=on', 'stream=off']) {
    const tasks = await vendorTasks(t, 'responses', [answer], { MODEL_SWITCHES })
    const task = await tasks.ask()
    t.match(task.usage, { input_tokens: 100, output_tokens: 7, cached_tokens: 60, reasoning_tokens: 3 })
    const [entry] = await tasks.isRight(t, task.id)
    const probs = (entry?.logprobs ?? []) as { token: string }[]
    if (MODEL_SWITCHES === 'stream=on') t.equal(probs.map(({ token }) => token).join(''), 'hello you')
  }
})

t.test('a whole answer is read like a stream', async t => {
  const script: Answer[] = [
    { when: 'hello', reasoning: 'Hm.', redacted: 'c2VhbGVk', text: 'So.', tool_calls: [sum('2*3')] },
    { when: '6', text: 'six' },
  ]
  const tasks = await vendorTasks(t, 'responses', script, { MODEL_SWITCHES: 'stream=off' })
  const task = await tasks.ask({ user_message_content: 'hello' })
  t.same(textsOf(task), ['So.', 'six'])
  await tasks.isRight(t, task.id)
  t.same(kindsOf(bodyAt(tasks, 1)), [
    ...['user', 'reasoning', 'reasoning', 'assistant', 'function_call', 'function_call_output'],
  ])
})

t.test('answers that were cut run no call that may be half', async t => {
  const half = { name: 'calculator', arguments: '{"expression":"6*' }
  for (const MODEL_SWITCHES of ['stream=on', 'stream=off']) {
    const script: Answer[] = [
      { when: 'hello', text: 'So.', tool_calls: [half], finish_reason: 'length' },
      { when: 'cut off', text: 'Enough.' },
    ]
    const tasks = await vendorTasks(t, 'responses', script, { MODEL_SWITCHES })
    const task = await tasks.ask({ user_message_content: 'hello' })
    t.same(
      callsOf(task).filter(({ status }) => status === 'completed'),
      [],
    )
    t.equal(textsOf(task).at(-1), 'Enough.')
    const [entry] = await tasks.isRight(t, task.id)
    t.equal(endOf(String(entry?.finish_reason)), 'length')
  }
})

t.test('errors: those of the server come again, in the stream too; others are told', async t => {
  const tasks = await vendorTasks(t, 'responses', [
    { text: 'one two three', fault: 'error-in-stream' },
    { text: 'one', finish_reason: 'error' },
    { error: { status: 503, message: 'overloaded', headers: { 'retry-after': '0' } } },
    { text: 'well' },
    { error: { status: 400, message: 'no such thing' } },
  ])
  const task = await tasks.ask()
  t.equal(task.status, 'completed')
  t.equal(textsOf(task).at(-1), 'well')
  const failed = await tasks.ask()
  t.equal(failed.status, 'failed')
  t.match(failed.error?.message, /no such thing/)
})

/** The events of an answer, as the endpoint sends them. */
const eventsOf = (...events: Fields[]): string => sse(...events)
const tell = (type: string, fields: Fields = {}): Fields => ({ type: `response.${type}`, ...fields })

t.test('parts of summaries, phases of messages and bare reasoning go back as they came', async t => {
  const said = (output_index: number, item: Fields, ...between: Fields[]) => [
    tell('output_item.added', { output_index, item: { ...item, summary: [], content: [], arguments: '' } }),
    ...between,
    tell('output_item.done', { output_index, item }),
  ]
  const part = (summary_index: number, delta: string) =>
    tell('reasoning_summary_text.delta', { output_index: 0, summary_index, delta })
  const thought = { type: 'reasoning', id: 'rs_1', encrypted_content: 'sealed' }
  const text = (output_index: number, delta: string) =>
    tell('output_text.delta', { output_index, content_index: 0, delta })
  const call = { type: 'function_call', call_id: 'c1', name: 'calculator', arguments: '{"expression":"1+1"}' }
  const first = [
    tell('created', { response: { id: 'resp_1', model: 'm' } }),
    ...said(0, thought, part(0, '**One**'), part(0, '\n\nmore'), part(1, '**Two**')),
    ...said(1, { type: 'message', phase: 'commentary' }, text(1, 'I look.')),
    ...said(2, { type: 'message', phase: 'final_answer' }, text(2, 'I add.')),
    ...said(3, { type: 'reasoning', id: 'rs_2', encrypted_content: '', summary: [] }),
    ...said(4, call),
    tell('completed', { response: { status: 'completed', output: [] } }),
  ]
  const second = [text(0, 'two'), tell('completed', { response: { status: 'completed' } })]
  const { asked, baseUrl } = await replay(t, (_newest, nth) => ({
    body: [eventsOf(...(nth === 0 ? first : second))],
  }))
  const tasks = tasksOf((await serveHere(t, { MODEL_BASE_URL: `${baseUrl}/responses`, MODEL: 'm' })).api)
  const { body, text: told } = await tasks.post({ user_message_content: 'hello' })
  t.match(body.result, { status: 'completed' }, told)
  t.match(asked[1]?.body.input, [
    { role: 'user' },
    {
      type: 'reasoning',
      summary: [{ text: '**One**\n\nmore' }, { text: '**Two**' }],
      encrypted_content: 'sealed',
    },
    { role: 'assistant', content: [{ text: 'I look.' }], phase: 'commentary' },
    { role: 'assistant', content: [{ text: 'I add.' }], phase: 'final_answer' },
    { type: 'function_call', call_id: 'c1', arguments: '{"expression":"1+1"}' },
    { type: 'function_call_output', call_id: 'c1', output: '2' },
  ])
})

t.test('a model that does not reason is asked without sealed reasoning', async t => {
  const { asked, baseUrl } = await replay(t, (_newest, nth) =>
    nth === 0
      ? {
          status: 400,
          headers: { 'content-type': 'application/json' },
          body: [
            '{"error":{"message":"Encrypted content is not supported with this model.","param":"include"}}',
          ],
        }
      : {
          body: [
            eventsOf(
              tell('completed', {
                response: {
                  status: 'completed',
                  output: [{ type: 'message', content: [{ type: 'output_text', text: 'hello' }] }],
                },
              }),
            ),
          ],
        },
  )
  const tasks = tasksOf((await serveHere(t, { MODEL_BASE_URL: `${baseUrl}/responses`, MODEL: 'm' })).api)
  const { body } = await tasks.post({ user_message_content: 'hello' })
  t.same(textsOf(body.result as never), ['hello'], 'the end of an answer may be all of it')
  t.same(
    asked.map(({ body: sent }) => 'include' in sent),
    [true, false],
  )
})

t.test('switches: calls one by one, roles, images beside the results, no sealed reasoning', async t => {
  const script: Answer[] = [
    { when: 'hello', tool_calls: [{ name: 'look', arguments: {} }] },
    { when: 'From the tool look', text: '{}' },
  ]
  const tasks = await vendorTasks(t, 'responses', script, {
    MODEL_SWITCHES: 'parallel=off sealed=off tool_images=user roles=system schema=json_object',
  })
  const waiting = await tasks.ask({
    user_message_content: 'hello',
    history_messages: [{ type: 'message', role: 'developer', message_content: 'Be short.' }],
    client_tools: [tool('look')],
    structured_output: { type: 'object' },
    inference_args: { max_completion_tokens: 99 },
  })
  const shows = [{ type: 'input_image', image_url: { url: png } }]
  await tasks.answer(waiting.id, result(String(waiting.input_required?.call_id), shows))
  const task = await tasks.becomes(waiting.id, 'completed')
  t.same(textsOf(task), ['{}'])
  await tasks.isRight(t, task.id)
  const second = bodyAt(tasks, 1)
  t.match(second, {
    parallel_tool_calls: false,
    max_output_tokens: 99,
    text: { format: { type: 'json_object' } },
    instructions: /JSON Schema/,
  })
  t.notOk('include' in second)
  t.same(kindsOf(second), ['system', 'user', 'function_call', 'function_call_output', 'user'])
})
