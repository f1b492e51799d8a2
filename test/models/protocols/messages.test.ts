// Anthropic Messages, against the strict imitation of its endpoint.
import t from 'tap'
import { endOf } from '../../../src/agents/model/ends.ts'
import type { Answer } from '../../../src/fake-model/answer.ts'
import { type Fields, fieldsOf, listOf } from '../../../src/fake-model/question.ts'
import { callsOf, holds, result, tasksOf, textsOf, tool } from '../../http/agent-tasks.ts'
import { fakeModel } from '../../support/fake-model.ts'
import { serveHere } from '../../support/server.ts'
import { bodyAt, messageAt, pdf, png, sum, vendorTasks } from './vendor-tasks.ts'

const thinking = { thinking: { type: 'enabled', budget_tokens: 1024 } }
const blocksOf = (message: Fields): Fields[] => listOf(message.content).map(fieldsOf)
const typesOf = (message: Fields): unknown[] => blocksOf(message).map(({ type }) => type)
/** The text of a message without the marks for the cache. */
const plain = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (name, each) => (name === 'cache_control' ? undefined : each)))

t.test('a first call has the instructions, the tools, marks for the cache, and the headers', async t => {
  const tasks = await vendorTasks(t, 'messages', [{ text: 'hello' }])
  const task = await tasks.ask({
    agent_config: { developer_prompt: 'Be exact.' },
    inference_args: { stop: 'END', top_k: 5, metadata: null },
    user_message_content: 'hi',
  })
  t.same(textsOf(task), ['hello'])
  const [request] = tasks.requests
  t.match(request, { path: '/v1/messages', headers: { 'anthropic-version': '2023-06-01' } })
  const body = bodyAt(tasks, 0)
  const mark = { cache_control: { type: 'ephemeral' } }
  t.same(body.system, [{ type: 'text', text: 'Be exact.', ...mark }])
  t.same(body.messages, [{ role: 'user', content: [{ type: 'text', text: 'hi', ...mark }] }])
  t.match(body, { max_tokens: 32_000, stream: true, stop_sequences: ['END'], top_k: 5 })
  t.notOk('metadata' in body, 'null unsets a field')
  const tools = listOf(body.tools).map(fieldsOf)
  t.ok(tools.length > 1)
  t.same(
    tools.filter(each => 'cache_control' in each),
    [tools.at(-1)],
  )
  const [entry] = await tasks.isRight(t, task.id)
  t.match(entry, { finish_reason: 'end_turn', response_id: /^msg_/ })
  t.match(await (await tasks.server.api('GET', '/agents')).text(), /"dialect":"anthropic"/)
})

t.test('numbers of earlier calls go back with all their digits', async t => {
  const args = '{"expression":"1+1","id":9007199254740993,"share":1.0}'
  const tasks = await vendorTasks(t, 'messages', [
    { tool_calls: [{ name: 'calculator', arguments: args }] },
    { text: 'done' },
  ])
  const task = await tasks.ask({})
  t.ok(tasks.requests[1]?.raw.includes(`"input":${args}`))
  await tasks.isRight(t, task.id)
})

t.test('thoughts with signatures, parallel calls and their results go back exactly, over tasks', async t => {
  const tasks = await vendorTasks(t, 'messages', [
    {
      when: 'what is it',
      reasoning: 'I think 🦊, twice.',
      redacted: 'c2VhbGVk',
      text: 'Let me see.',
      tool_calls: [sum('6*7'), { name: 'look', arguments: {} }, sum('1/0')],
    },
    { when: 'it shows', reasoning: 'Nearly.', tool_calls: [sum('1+1')] },
    { when: 'thanks', reasoning: 'Polite.', text: 'You are welcome.' },
    { when: '2', reasoning: 'Done.', text: 'It is 42.' },
  ])
  const request = { session_id: 's1', client_tools: [tool('look')], inference_args: thinking }
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
  const said = messageAt(second, 1)
  t.same(typesOf(said), ['thinking', 'redacted_thinking', 'text', 'tool_use', 'tool_use', 'tool_use'])
  t.match(blocksOf(said)[0], { thinking: 'I think 🦊, twice.', signature: String })
  t.match(blocksOf(said)[1], { data: 'c2VhbGVk' })
  const results = blocksOf(messageAt(second, 2))
  const uses = blocksOf(said).slice(3)
  t.same(
    results.map(({ type, tool_use_id }) => [type, tool_use_id]),
    uses.map(({ id }) => ['tool_result', id]),
    'results stand in the order of the calls, with the ids of the endpoint',
  )
  const looked = uses.findIndex(({ name }) => name === 'look')
  t.same(plain(results[looked]?.content), [
    { type: 'text', text: 'it shows' },
    { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } },
    {
      type: 'document',
      source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0xLjQ=' },
      title: 'a.pdf',
    },
  ])
  t.same(
    results.map(({ is_error = false }) => is_error),
    [false, false, true],
  )
  const last = bodyAt(tasks, -1)
  t.same(
    plain(listOf(last.messages).slice(0, 2)),
    plain(listOf(second.messages).slice(0, 2)),
    'what was sent before is sent again, so that the cache is used',
  )
  t.same(typesOf(messageAt(last, 3)), ['thinking', 'tool_use'])
  t.same(typesOf(messageAt(last, 5)), ['thinking', 'text'])
  await holds(t, tasks, task.id)
})

t.test('images, files, names, sounds and later instructions of a request are written as blocks', async t => {
  const tasks = await vendorTasks(t, 'messages', [{ text: 'I see.' }])
  const message = (role: string, message_content: unknown, more: object = {}) => ({
    type: 'message',
    role,
    message_content,
    ...more,
  })
  const svg = 'data:image/svg+xml;base64,PHN2Zy8+'
  const task = await tasks.ask({
    history_messages: [
      message('system', ['Be kind.', { type: 'image', image_url: { url: png } }]),
      message('assistant', ['earlier', { type: 'output_image', image_url: { url: png } }]),
      message('developer', 'Be short.'),
      message('user', 'hello', { name: 'Ann' }),
      { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'Who is Ann?' }] },
      message('assistant', [{ type: 'output_text', text: '  ' }]),
    ],
    user_message_content: [
      { type: 'input_text', text: 'look' },
      { type: 'input_text', text: '' },
      { type: 'input_image', image_url: { url: png } },
      { type: 'input_image', image_url: { url: 'https://a.example/a.png' } },
      { type: 'input_image', image_url: { url: 'http://a.example/a.png' } },
      { type: 'input_image', image_url: { url: svg } },
      { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } },
      { type: 'file', file: { file_url: 'https://a.example/a.pdf', filename: 'a.pdf' } },
      { type: 'file', file: { file_data: 'data:text/plain;base64,aGk=', filename: 'a.txt' } },
      { type: 'file', file: { file_data: png.slice(22), filename: 'b.png' } },
      { type: 'file', file: { file_data: 'AAAA', filename: 'b.zip' } },
    ],
  })
  await tasks.isRight(t, task.id)
  const { system, messages } = plain(bodyAt(tasks, 0)) as { system: unknown; messages: Fields[] }
  const text = (text: string) => ({ type: 'text', text })
  t.same(system, [text('Be kind.'), text('[a part of the type image that this model cannot take]')])
  const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } }
  t.same(messages, [
    { role: 'user', content: [text('[The conversation goes on.]')] },
    {
      role: 'assistant',
      content: [text('earlier'), text('[a part of the type output_image that this model cannot take]')],
    },
    { role: 'user', content: [text('[instructions]:\nBe short.'), text('Ann:\nhello')] },
    { role: 'assistant', content: [text('[thought] Who is Ann?')] },
    {
      role: 'user',
      content: [
        text('look'),
        image,
        { type: 'image', source: { type: 'url', url: 'https://a.example/a.png' } },
        text('[an image at http://a.example/a.png that this model cannot take]'),
        text('[an image that this model cannot take]'),
        text('[a sound that this model cannot take]'),
        { type: 'document', source: { type: 'url', url: 'https://a.example/a.pdf' }, title: 'a.pdf' },
        text('[file a.txt]\nhi'),
        image,
        text('[the file b.zip, which this model cannot take]'),
      ],
    },
  ])
})

t.test('another model of the session gets no thoughts, and takes what the first one said', async t => {
  const first = await fakeModel(t, [
    { when: 'hello', reasoning: 'Mine.', text: 'I look.', tool_calls: [{ ...sum('1+1'), id: 'a.b/c' }] },
    { when: '2', text: 'It is two.' },
  ])
  const tasks = await vendorTasks(t, 'messages', [
    { reasoning: 'Also.', text: 'Still two.' },
    { text: 'A third.' },
  ])
  const dataDir = t.testdir()
  const before = await serveHere(t, { DATA_DIR: dataDir, ...first.env })
  const one = await tasksOf(before.api).post({ session_id: 's', user_message_content: 'hello' })
  t.equal(one.status, 200, one.text)
  await before.stop()
  const env = {
    MODEL_BASE_URL: `${tasks.endpoint.url}/messages`,
    MODEL: 'claude-a',
    MODEL_API_KEY: 'sk-imitation',
  }
  const after = await serveHere(t, { DATA_DIR: dataDir, ...env })
  const two = await tasksOf(after.api).post({
    session_id: 's',
    user_message_content: 'sure?',
    inference_args: thinking,
  })
  t.equal(two.status, 200, two.text)
  const three = await tasksOf(after.api).post({
    session_id: 's',
    user_message_content: 'really?',
    agent_config: { model: 'claude-b' },
  })
  t.equal(three.status, 200, three.text)
  t.same(tasks.refusals, [])
  const said = messageAt(bodyAt(tasks, 0), 1)
  t.same(typesOf(said), ['text', 'tool_use'])
  t.match(blocksOf(said)[1]?.id, /^[A-Za-z0-9_-]+$/)
  t.notMatch(JSON.stringify(bodyAt(tasks, 1).messages), /thinking|Also/)
})

t.test('a newest turn with calls of another model switches thoughts off for that call', async t => {
  const foreign = await fakeModel(t, [{ when: 'hello', tool_calls: [{ name: 'look' }] }])
  const tasks = await vendorTasks(t, 'messages', [{ text: 'I see.' }])
  const dataDir = t.testdir()
  const before = await serveHere(t, { DATA_DIR: dataDir, ...foreign.env })
  const one = await tasksOf(before.api).post({
    task_id: 'one',
    user_message_content: 'hello',
    client_tools: [tool('look')],
    inference_args: thinking,
  })
  t.equal(one.status, 200, one.text)
  await before.stop()
  const env = {
    MODEL_BASE_URL: `${tasks.endpoint.url}/messages`,
    MODEL: 'claude-a',
    MODEL_API_KEY: 'sk-imitation',
  }
  const after = tasksOf((await serveHere(t, { DATA_DIR: dataDir, ...env })).api)
  const waiting = await after.becomes('one', 'input-required')
  await after.answer('one', result(String(waiting.input_required?.call_id), 'a fox'))
  const task = await after.becomes('one', 'completed')
  t.same(textsOf(task), ['I see.'])
  t.same(tasks.refusals, [])
  t.notOk('thinking' in bodyAt(tasks, 0))
})

t.test('structured output is asked for with a closed schema, beside what the request sets', async t => {
  const schema = {
    type: 'object',
    properties: { a: { type: 'array', items: { type: 'object', properties: {} } } },
  }
  const tasks = await vendorTasks(t, 'messages', [{ text: '{"a":[]}' }])
  const task = await tasks.ask({
    structured_output: schema,
    inference_args: { output_config: { effort: 'low' } },
    agent_config: { max_response_length: 77 },
  })
  await tasks.isRight(t, task.id)
  const closed = { type: 'object', properties: {}, additionalProperties: false }
  t.match(bodyAt(tasks, 0), {
    max_tokens: 77,
    output_config: {
      effort: 'low',
      format: {
        type: 'json_schema',
        schema: { properties: { a: { type: 'array', items: closed } }, additionalProperties: false },
      },
    },
  })
})

t.test('usage counts cached tokens as input, as in all protocols', async t => {
  const usage = { prompt_tokens: 100, completion_tokens: 7, cached_tokens: 60 }
  const tasks = await vendorTasks(t, 'messages', [{ text: 'hello', usage }])
  for (const stream of ['on', 'off']) {
    const own =
      stream === 'on'
        ? tasks
        : await vendorTasks(t, 'messages', [{ text: 'hello', usage }], { MODEL_SWITCHES: 'stream=off' })
    const task = await own.ask()
    t.match(task.usage, { input_tokens: 100, output_tokens: 7, total_tokens: 107, cached_tokens: 60 })
    await own.isRight(t, task.id)
  }
})

t.test('a whole answer is read like a stream', async t => {
  const script: Answer[] = [
    { when: 'hello', reasoning: 'Hm.', redacted: 'c2VhbGVk', text: 'So.', tool_calls: [sum('2*3')] },
    { when: '6', text: 'six' },
  ]
  const tasks = await vendorTasks(t, 'messages', script, { MODEL_SWITCHES: 'stream=off' })
  const task = await tasks.ask({ user_message_content: 'hello', inference_args: thinking })
  t.same(textsOf(task), ['So.', 'six'])
  await tasks.isRight(t, task.id)
  t.same(typesOf(messageAt(bodyAt(tasks, 1), 1)), ['thinking', 'redacted_thinking', 'text', 'tool_use'])
})

t.test('answers that were cut run no call that may be half', async t => {
  const cut = { finish_reason: 'length' }
  for (const MODEL_SWITCHES of ['stream=on', 'stream=off']) {
    const tasks = await vendorTasks(
      t,
      'messages',
      [
        {
          when: 'hello',
          text: 'So.',
          tool_calls: [{ name: 'calculator', arguments: '{"expression":"6*' }],
          ...cut,
        },
        { when: 'cut off', text: 'Enough.' },
      ],
      { MODEL_SWITCHES },
    )
    const task = await tasks.ask({ user_message_content: 'hello' })
    t.same(
      callsOf(task).filter(({ status }) => status === 'completed'),
      [],
    )
    t.equal(textsOf(task).at(-1), 'Enough.')
    await tasks.isRight(t, task.id)
  }
})

t.test('a refusal, and an end that the context forced, are told as cuts', async t => {
  for (const [finish_reason, cut] of [
    ['content_filter', 'content_filter'],
    ['model_context_window_exceeded', 'length'],
    ['pause_turn', 'abort'],
  ] as const) {
    const tasks = await vendorTasks(t, 'messages', [{ text: 'No', finish_reason }])
    const task = await tasks.ask()
    t.equal(task.status, 'completed')
    t.match(task.output, [{ status: 'incomplete' }])
    const [entry] = await tasks.isRight(t, task.id)
    t.equal(endOf(String(entry?.finish_reason)), cut)
  }
})

t.test('errors: overloaded ones come again, in the stream too; others are told', async t => {
  const tasks = await vendorTasks(t, 'messages', [
    { text: 'one two three', fault: 'error-in-stream' },
    { error: { status: 529, message: 'Overloaded', headers: { 'retry-after': '0' } } },
    { text: 'well' },
    { error: { status: 400, message: 'your credit balance is too low' } },
  ])
  const task = await tasks.ask()
  t.equal(task.status, 'completed')
  t.equal(textsOf(task).at(-1), 'well')
  const failed = await tasks.ask()
  t.equal(failed.status, 'failed')
  t.match(failed.error?.message, /credit balance/)
})

t.test('a conversation with calls names its tools when none is offered any more', async t => {
  const tasks = await vendorTasks(t, 'messages', [
    { when: 'hello', tool_calls: [sum('1+1')] },
    { when: 'more', text: 'No more.' },
    { when: '2', text: 'two' },
  ])
  const one = await tasks.ask({ session_id: 's', user_message_content: 'hello' })
  const two = await tasks.ask({ session_id: 's', user_message_content: 'more', agent_config: { tools: [] } })
  await tasks.isRight(t, one.id, two.id)
  t.ok(listOf(bodyAt(tasks, -1).tools).length > 0)
})

t.test('switches: calls one by one, no marks, images beside the results, no thoughts', async t => {
  const script: Answer[] = [
    { when: 'hello', reasoning: 'Hm.', tool_calls: [{ name: 'look', arguments: {} }] },
    { when: 'From the tool look', text: 'I see.' },
  ]
  const tasks = await vendorTasks(t, 'messages', script, {
    MODEL_SWITCHES: 'parallel=off cache=off tool_images=user reasoning=off answer_room=4096',
  })
  const waiting = await tasks.ask({
    user_message_content: 'hello',
    client_tools: [tool('look')],
    inference_args: thinking,
  })
  const shows = [{ type: 'input_image', image_url: { url: png } }]
  await tasks.answer(waiting.id, result(String(waiting.input_required?.call_id), shows))
  const task = await tasks.becomes(waiting.id, 'completed')
  t.same(textsOf(task), ['I see.'])
  await tasks.isRight(t, task.id)
  const [first, second] = [bodyAt(tasks, 0), bodyAt(tasks, 1)]
  t.match(first, { tool_choice: { type: 'auto', disable_parallel_tool_use: true }, max_tokens: 5120 })
  t.notMatch(JSON.stringify(tasks.requests.map(({ raw }) => raw)), /cache_control/)
  t.same(typesOf(messageAt(second, 1)), ['tool_use'])
  t.same(typesOf(messageAt(second, 2)), ['tool_result', 'text', 'image'])
  t.notOk('thinking' in second)
})
