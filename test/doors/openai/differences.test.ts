// The differences to OpenAI's own servers that docs/doors.md lists, as far as other tests do not meet them.
import type OpenAI from 'openai'
import t from 'tap'
import { serveHere } from '../../support/server.ts'
import { receiver } from '../../webhooks/receiver.ts'
import { ask, clientOf, scriptedModel, taskOf } from './clients.ts'

const model = await scriptedModel(t)
const { api, url } = await serveHere(t, { ...model.env, ALLOW_PRIVATE_URLS: '1' })
const client = clientOf(url)
const lastAsked = () => model.asked.at(-1)?.request as Record<string, unknown>
const asks = { tool_calls: [{ name: 'ask', arguments: {} }] }
const answer = (call: unknown) => [
  {
    type: 'function_call_output' as const,
    call_id: (call as OpenAI.Responses.ResponseFunctionToolCall).call_id,
    output: 'yes',
  },
]

t.test('ids lead to the task', async t => {
  await model.script([asks, { text: 'Done.' }])
  const first = await client.responses.create({ model: 'model', input: 'x', tools: [ask] })
  const task = first.id.slice('resp_'.length)
  const call = first.output[0] as OpenAI.Responses.ResponseFunctionToolCall
  t.match(call, { id: new RegExp(`^tc_\\w+\\.${task}$`), call_id: new RegExp(`^call_\\w+\\.${task}$`) })
  const second = await client.responses.create({ model: 'model', input: answer(call) })
  t.match(second.id, new RegExp(`^resp_${task}\\.[1-9][0-9]*$`), 'without previous_response_id')
  t.match(second.output[0]?.id, new RegExp(`^msg_\\w+\\.${task}$`))
  await client.responses.delete(second.id)
  await t.rejects(
    client.responses.retrieve(first.id),
    { status: 404, message: /^404 / },
    'a delete is that of the task',
  )

  const one = await client.responses.create({ model: 'echo', input: 'x' })
  const deletes = await Promise.allSettled(Array.from({ length: 8 }, () => client.responses.delete(one.id)))
  const refused = deletes.flatMap(each => (each.status === 'rejected' ? [each.reason] : []))
  t.same(
    refused.map(({ code }) => code),
    Array(7).fill('response_not_found'),
    'of several deletes at once, one deletes',
  )

  const named = { user_message_content: 'x', stream: false, client_id: 'echo', task_id: 'mine.17' }
  t.equal((await api('POST', '/tasks', named)).status, 200)
  t.equal((await client.responses.retrieve('resp_mine.17.0')).id, 'resp_mine.17.0')
  await t.rejects(client.responses.retrieve('resp_mine.17'), { status: 404, message: /^404 / })
})

t.test("webhooks of OpenAI's form say how each response in the background ended", async t => {
  const hook = await receiver(t)
  const types = ['completed', 'failed', 'incomplete', 'cancelled'].map(word => `response.${word}`)
  const mixed = await api('POST', '/webhooks', { url: hook.url, types: ['TaskCreated', ...types] })
  t.match(await mixed.text(), /either events of OpenAI/)
  const made = await api('POST', '/webhooks', { url: hook.url, types })
  const { id, secret } = (await made.json()) as { id: string; secret: string }
  const begin = (body: object = {}) =>
    client.responses.create({
      model: 'model',
      input: 'x',
      background: true,
      ...body,
    }) as Promise<OpenAI.Responses.Response>
  const heard = (n: number) => hook.until(received => received.length >= n)

  await model.script([
    asks,
    { text: 'Done.' },
    { text: 'half', finish_reason: 'length' },
    { error: { status: 400, message: 'no such thing' } },
    { text: 'slowly '.repeat(500), token_ms: 20 },
  ])
  const first = await begin({ tools: [ask] })
  await heard(1)
  const { output } = await client.responses.retrieve(first.id)
  const second = await begin({ previous_response_id: first.id, input: answer(output[0]) })
  await heard(2)
  await client.responses.create({ model: 'echo', input: 'not in the background' })
  const native = { user_message_content: 'no response', client_id: 'echo', background: true, stream: false }
  t.equal((await api('POST', '/tasks', native)).status, 200)
  const third = await begin()
  await heard(3)
  const fourth = await begin()
  await heard(4)
  const fifth = await begin()
  await client.responses.cancel(fifth.id)
  const ended = [
    ['response.completed', first.id],
    ['response.completed', second.id],
    ['response.incomplete', third.id],
    ['response.failed', fourth.id],
    ['response.cancelled', fifth.id],
  ]
  const received = await heard(5)
  for (const [n, { body, headers }] of received.entries()) {
    const event = await client.webhooks.unwrap(body, headers, secret)
    t.match(event, { object: 'event', type: ended[n]?.[0], data: { id: ended[n]?.[1] }, created_at: Number })
  }
  t.equal(received.length, 5)
  const again = await api('POST', `/webhooks/${id}/deliveries/${received[0]?.id}/redeliver`)
  t.match(await again.json(), { type: 'response.completed', delivered: true })
  t.equal((await heard(6))[5]?.body, received[0]?.body)
})

t.test('metadata may have keys that the service writes itself', async t => {
  const metadata = { mine: 'yes', agent: 'mine', reason: 'none', openai: 'a key like any other' }
  const { data, response } = await client.responses
    .create({ model: 'echo', input: 'x', metadata })
    .withResponse()
  t.same(data.metadata, metadata)
  t.same((await client.responses.retrieve(data.id)).metadata, metadata)
  t.match(await taskOf(api, response.headers.get('x-task-id')), { metadata: { agent: 'echo', mine: 'yes' } })
  const messages = [{ role: 'user' as const, content: 'x' }]
  t.equal((await client.chat.completions.create({ model: 'echo', messages, metadata })).choices.length, 1)
})

t.test('a task keeps the settings with which it began', async t => {
  await model.script([asks, { text: 'Done.' }])
  const first = await client.responses.create({
    model: 'model',
    input: 'x',
    tools: [ask],
    instructions: 'Be brief.',
    store: false,
  })
  t.equal((await client.responses.retrieve(first.id)).instructions, 'Be brief.', 'it is stored')
  await client.responses.create({
    model: 'model',
    previous_response_id: first.id,
    input: answer(first.output[0]),
    instructions: 'Be long.',
  })
  t.match((lastAsked().messages as object[])[0], { content: 'Be brief.' })
})

t.test('tool_choice takes the functions of the client away, or has no effect', async t => {
  await model.texts('No tools.')
  await client.responses.create({ model: 'model', input: 'x', tools: [ask], tool_choice: 'none' })
  const names = ((lastAsked().tools ?? []) as { function: { name: string } }[]).map(
    each => each.function.name,
  )
  t.notOk(names.includes('ask'))
})

t.test('what OpenAI stores is not here', async t => {
  const one = (body: object) => client.responses.create({ model: 'echo', input: 'x', ...body } as never)
  const { response } = await client.responses
    .create({ model: 'echo', input: 'x', conversation: 'conv_1', prompt: { id: 'p' } } as never)
    .withResponse()
  t.equal(response.headers.get('x-ignored-fields'), 'conversation, prompt')
  for (const part of [
    { type: 'input_image', file_id: 'file_1', detail: 'auto' },
    { type: 'input_file', file_id: 'file_1' },
  ])
    await t.rejects(one({ input: [{ role: 'user', content: [part] }] }), {
      status: 400,
      param: /input/,
      message: /^400 /,
    })
  await t.rejects(one({ input: [{ type: 'item_reference', id: 'msg_1.nothing' }] }), {
    status: 400,
    message: /^400 /,
  })
})

t.test('a session goes on, also from an earlier response', async t => {
  await model.texts('1', '2', '3')
  const first = await client.responses.create({ model: 'model', input: 'one' })
  await client.responses.create({ model: 'model', input: 'two', previous_response_id: first.id })
  await client.responses.create({ model: 'model', input: 'three', previous_response_id: first.id })
  t.match(
    (lastAsked().messages as { content: unknown }[]).map(({ content }) => content),
    ['one', '1', 'two', '2', 'three'],
  )
})

t.test(
  'a response in the foreground is canceled like any other, and one that has ended stays as it is',
  async t => {
    await model.script([asks])
    const waits = await client.responses.create({ model: 'model', input: 'x', tools: [ask] })
    t.equal((await client.responses.cancel(waits.id)).status, 'completed', 'this response had ended')
    t.equal((await taskOf(api, waits.id.slice('resp_'.length))).status, 'canceled')
  },
)

t.test('agents have no time of creation, and those without a model use no tokens', async t => {
  t.equal((await client.models.retrieve('echo')).created, 0)
  t.match((await client.responses.create({ model: 'echo', input: 'x' })).usage, { total_tokens: 0 })
})
