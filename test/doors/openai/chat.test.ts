// Chat completions, asked with OpenAI's own client.
import type OpenAI from 'openai'
import t from 'tap'
import { serveHere } from '../../support/server.ts'
import { all, clientOf, scriptedModel, taskOf } from './clients.ts'

const model = await scriptedModel(t)
const { script, texts } = model
const { api, url, lines } = await serveHere(t, { ...model.env, QUOTA_TASKS: '1' })
const client = clientOf(url)
const { completions } = client.chat
type Messages = OpenAI.Chat.ChatCompletionMessageParam[]
const lastAsked = () => model.asked.at(-1)?.request as Record<string, unknown>
const user = (content: string) => ({ role: 'user' as const, content })
const tool = (name: string) => ({
  type: 'function' as const,
  function: { name, parameters: { type: 'object', properties: {} } },
})

t.test('a completion has what the agent said, and a task behind it', async t => {
  await texts('Hello!')
  const { data, response } = await completions
    .create({ model: 'model', messages: [{ role: 'system', content: 'Be kind.' }, user('Hi')] })
    .withResponse()
  t.match(data, {
    object: 'chat.completion',
    model: 'model',
    choices: [{ index: 0, message: { role: 'assistant', content: 'Hello!' }, finish_reason: 'stop' }],
  })
  t.ok((data.usage?.total_tokens ?? 0) > 0)
  const task = response.headers.get('x-task-id')
  t.equal(data.id, `chatcmpl-${task}`)
  t.match(await taskOf(api, task), { status: 'completed', session_id: response.headers.get('x-session-id') })
  t.match(
    (lastAsked().messages as { role: string }[]).map(({ role }) => role),
    ['system', 'user'],
  )
})

t.test('the client brings the whole conversation, so each task has a session of its own', async t => {
  await texts('One.', 'Two.')
  const asked = (messages: Messages) => completions.create({ model: 'model', messages }).withResponse()
  const first = await asked([user('1')])
  const second = await asked([user('1'), { role: 'assistant', content: 'One.' }, user('2')])
  t.equal(second.data.choices[0]?.message.content, 'Two.')
  t.not(second.response.headers.get('x-session-id'), first.response.headers.get('x-session-id'))
  const messages = lastAsked().messages as { role: string }[]
  t.same(
    messages.map(({ role }) => role),
    ['user', 'assistant', 'user'],
  )
})

t.test('a stream has the text in pieces, and its usage if it is wanted', async t => {
  await texts('one two three')
  const chunks = await all(
    await completions.create({
      model: 'model',
      messages: [user('Count')],
      stream: true,
      stream_options: { include_usage: true },
    }),
  )
  t.equal(chunks[0]?.choices[0]?.delta.role, 'assistant')
  t.equal(chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join(''), 'one two three')
  t.equal(chunks.at(-2)?.choices[0]?.finish_reason, 'stop')
  t.same(chunks.at(-1)?.choices, [])
  t.ok((chunks.at(-1)?.usage?.total_tokens ?? 0) > 0)
  await texts('no usage')
  const plain = await all(await completions.create({ model: 'model', messages: [user('x')], stream: true }))
  t.ok(plain.every(({ usage }) => usage === undefined))
})

t.test('settings reach the model, and what has no effect is named in a header', async t => {
  await texts('{"a":1}')
  const schema = { type: 'object', properties: { a: { type: 'integer' } } }
  const { data, response } = await completions
    .create({
      model: 'model',
      messages: [user('Go')],
      temperature: 0.1,
      seed: 7,
      stop: ['END'],
      max_completion_tokens: 50,
      reasoning_effort: 'low',
      user: 'somebody',
      response_format: { type: 'json_schema', json_schema: { name: 'thing', schema } },
    })
    .withResponse()
  t.equal(data.choices[0]?.message.content, '{"a":1}')
  t.match(lastAsked(), { temperature: 0.1, seed: 7, stop: ['END'], max_tokens: 50, reasoning_effort: 'low' })
  t.match(lastAsked().response_format, { type: 'json_schema', json_schema: { schema } })
  t.equal(response.headers.get('x-ignored-fields'), 'user')
})

t.test('messages of tools answer the task that waits for them, and nothing runs twice', async t => {
  await script([
    { tool_calls: [{ name: 'calculator', arguments: { expression: '6*7' } }] },
    {
      tool_calls: [
        { name: 'one', arguments: {} },
        { name: 'two', arguments: {} },
      ],
    },
    { tool_calls: [{ name: 'one', arguments: {} }] },
    { text: 'All done.' },
    { text: 'And more.' },
  ])
  const tools = [tool('one'), tool('two')]
  const messages: Messages = [user('Use them')]
  const step = async () => {
    const { data, response } = await completions.create({ model: 'model', messages, tools }).withResponse()
    const message = data.choices[0]?.message
    if (message === undefined) throw new Error('there is no choice')
    messages.push(message)
    return { message, finish: data.choices[0]?.finish_reason, task: response.headers.get('x-task-id') }
  }
  const results = ({ message }: Awaited<ReturnType<typeof step>>) => {
    for (const { id } of message.tool_calls ?? [])
      messages.push({ role: 'tool', tool_call_id: id, content: 'yes' })
  }
  const first = await step()
  t.equal(first.finish, 'tool_calls')
  t.equal(first.message.content, null)
  t.same(
    first.message.tool_calls?.map(call => call.type === 'function' && call.function.name),
    ['one', 'two'],
  )
  messages.push({ role: 'tool', tool_call_id: first.message.tool_calls?.[0]?.id ?? '', content: 'yes' })
  await t.rejects(completions.create({ model: 'model', messages, tools }), {
    status: 400,
    code: 'input_missing',
  })
  messages.pop()
  results(first)
  const second = await step()
  t.equal(second.task, first.task, 'the same task')
  results(second)
  const asked = model.asked.length
  const third = await step()
  t.equal(third.message.content, 'All done.')
  t.equal(third.task, first.task)
  t.equal(model.asked.length, asked + 1)

  const again = await completions.create({ model: 'model', messages: messages.slice(0, -1), tools })
  t.equal(again.choices[0]?.message.content, 'All done.', 'the same answers again')
  t.equal(model.asked.length, asked + 1, 'ask nobody')
  messages.push(user('More'))
  const fourth = await step()
  t.not(fourth.task, first.task, 'a new message is a new task')
  t.equal(fourth.message.content, 'And more.')
})

t.test('a stream ends with the calls of functions of the client', async t => {
  await script([{ text: 'Wait.', tool_calls: [{ name: 'one', arguments: { a: 1 } }] }])
  const chunks = await all(
    await completions.create({
      model: 'model',
      messages: [user('Go')],
      tools: [tool('one')],
      stream: true,
    }),
  )
  const calls = chunks.flatMap(({ choices }) => choices[0]?.delta.tool_calls ?? [])
  t.match(calls, [{ index: 0, type: 'function', function: { name: 'one', arguments: '{"a":1}' } }])
  t.equal(chunks.at(-1)?.choices[0]?.finish_reason, 'tool_calls')
})

t.test('what an agent says in several messages is one text', async t => {
  const body = {
    model: 'script',
    messages: [user('{"script":1}')],
  }
  await t.rejects(
    completions.create(body),
    { status: 400, message: /^400 / },
    'a script needs an agent of its own',
  )
  await script([
    { text: 'Let me see.', tool_calls: [{ name: 'calculator', arguments: { expression: '1+1' } }] },
    { text: '2' },
  ])
  const whole = await completions.create({ model: 'model', messages: [user('Sum')] })
  t.equal(whole.choices[0]?.message.content, 'Let me see.\n\n2')
  await script([
    { text: 'Let me see.', tool_calls: [{ name: 'calculator', arguments: { expression: '1+1' } }] },
    { text: '{"a":2}' },
  ])
  const json = await completions.create({
    model: 'model',
    messages: [user('Sum')],
    response_format: { type: 'json_object' },
  })
  t.equal(json.choices[0]?.message.content, '{"a":2}', 'JSON is the last message alone')
})

t.test('errors have the form of OpenAI', async t => {
  const one = (body: object) => completions.create({ model: 'echo', messages: [user('x')], ...body } as never)
  await t.rejects(one({ model: 'nobody' }), { status: 404, code: 'model_not_found', param: 'model' })
  await t.rejects(one({ messages: [] }), { status: 400, param: 'messages', message: /^400 / })
  await t.rejects(one({ n: 2 }), { status: 400, param: 'n', message: /^400 / })
  await t.rejects(one({ messages: [{ role: 'tool', content: 'x' }] }), { status: 400, message: /^400 / })
  await script([{ error: { status: 400, message: 'no such thing' } }])
  await t.rejects(one({ model: 'model' }), { status: 424, code: 'task_failed', message: /no such thing/ })
  await script([{ error: { status: 400, message: 'no such thing' } }])
  const stream = await completions.create({ model: 'model', messages: [user('x')], stream: true })
  await t.rejects(all(stream), { code: 'task_failed' })
  const token = (await (await api('POST', '/auth/tokens', { role: 'user', user_id: 'ann' })).json()) as {
    token: string
  }
  const ann = clientOf(url, { apiKey: token.token })
  await api('POST', '/tasks', {
    user_message_content: 'x',
    stream: false,
    background: true,
    user_id: 'ann',
    agent_config: { agent_id: 'script', script: [{ sleep_ms: 60_000 }] },
  })
  const refused = ann.chat.completions.create({ model: 'echo', messages: [user('x')] })
  await t.rejects(refused, { status: 429, code: 'rate_limit_exceeded' })
  t.ok((await client.models.list()).data.length > 0)
})

t.test('the operator was told of no error', async t => {
  t.same(
    lines.filter(({ level }) => level === 'error'),
    [],
  )
})
