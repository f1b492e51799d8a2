// Responses, asked with OpenAI's own client: whole, streamed, in the background, with functions of the client.
import type OpenAI from 'openai'
import t from 'tap'
import { pause } from '../../support/http.ts'
import { serveHere } from '../../support/server.ts'
import { all, ask, clientOf, scriptedModel, taskOf } from './clients.ts'

const model = await scriptedModel(t)
const { script, texts } = model
const { api, url, lines } = await serveHere(t, model.env)
const client = clientOf(url)
/** The messages and the further fields of the last request that the model got. */
const lastAsked = () => model.asked.at(-1)?.request as Record<string, unknown>

t.test('a whole response has the text of the agent, and its task is an ordinary one', async t => {
  const { data, response } = await client.responses
    .create({ model: 'echo', input: 'Hello', metadata: { mine: 'yes' } })
    .withResponse()
  t.equal(data.output_text, 'Hello')
  t.equal(data.status, 'completed')
  t.match(data, { object: 'response', model: 'echo', error: null, metadata: { mine: 'yes' } })
  const task = response.headers.get('x-task-id')
  t.equal(data.id, `resp_${task}`)
  t.match(await taskOf(api, task), {
    status: 'completed',
    session_id: response.headers.get('x-session-id'),
    metadata: { agent: 'echo', mine: 'yes' },
  })
})

t.test('a stream has typed events with numbers that begin at 0, and so has each reading of it', async t => {
  const stream = await client.responses.create({ model: 'demo', input: 'What is 6*7?', stream: true })
  const events = await all(stream)
  t.same(
    events.map(event => event.sequence_number),
    events.map((_, n) => n),
  )
  const types = events.map(({ type }) => type)
  t.equal(types[0], 'response.created')
  t.equal(types.at(-1), 'response.completed')
  for (const type of [
    'response.in_progress',
    'response.output_item.added',
    'response.content_part.added',
    'response.output_text.delta',
    'response.output_text.done',
    'response.content_part.done',
    'response.output_item.done',
    'response.mcp_call.completed',
  ])
    t.ok(types.includes(type as never), type)
  const last = events.at(-1) as OpenAI.Responses.ResponseCompletedEvent
  const again = await all(await client.responses.retrieve(last.response.id, { stream: true }))
  t.same(again, events)
  const rest = await all(
    await client.responses.retrieve(last.response.id, { stream: true, starting_after: 4 }),
  )
  t.same(rest, events.slice(5))
  await t.rejects(
    client.responses.retrieve(last.response.id, { stream: true, starting_after: events.length }),
    { status: 400, message: /starting_after: The cursor is beyond the end of the stream/ },
  )
  const read = await client.responses.retrieve(last.response.id)
  t.same(read.output, last.response.output)
})

t.test("the helper of OpenAI's client follows a stream to its final response", async t => {
  const final = await client.responses.stream({ model: 'demo', input: 'What is 2+3?' }).finalResponse()
  t.match(final.output_text, /5/)
  const call = final.output.find(
    ({ type }) => type === 'mcp_call',
  ) as OpenAI.Responses.ResponseOutputItem.McpCall
  t.match(call, { name: 'calculator', server_label: 'reprise', output: '5', error: null })
})

t.test('a model thinks, and its reasoning is an item with events of its own', async t => {
  await script([{ reasoning: 'Let me see.', text: 'Done.' }])
  const events = await all(await client.responses.create({ model: 'model', input: 'Think', stream: true }))
  const types = new Set(events.map(({ type }) => type))
  t.ok([...types].some(type => type.startsWith('response.reasoning')))
  const { response } = events.at(-1) as OpenAI.Responses.ResponseCompletedEvent
  t.equal(response.output[0]?.type, 'reasoning')
  t.equal(response.output_text ?? 'Done.', 'Done.')
  t.ok((response.usage?.total_tokens ?? 0) > 0)
})

t.test('settings reach the model, and what has no effect is named in a header', async t => {
  await texts('{"a":1}')
  const schema = { type: 'object', properties: { a: { type: 'integer' } }, required: ['a'] }
  const { data, response } = await client.responses
    .create({
      model: 'model',
      input: 'Go',
      instructions: 'Be brief.',
      temperature: 0.3,
      top_p: 0.5,
      max_output_tokens: 77,
      reasoning: { effort: 'low' },
      parallel_tool_calls: false,
      tools: [ask],
      store: false,
      tool_choice: 'required',
      truncation: 'auto',
      text: { format: { type: 'json_schema', name: 'thing', schema } },
    })
    .withResponse()
  t.equal(data.output_text, '{"a":1}')
  t.match(lastAsked(), {
    temperature: 0.3,
    top_p: 0.5,
    reasoning_effort: 'low',
    parallel_tool_calls: false,
    response_format: { type: 'json_schema', json_schema: { schema } },
    messages: [{ content: 'Be brief.' }, { role: 'user' }],
  })
  t.equal(lastAsked().max_tokens, 77)
  t.equal(response.headers.get('x-ignored-fields'), 'tool_choice, truncation')
  t.match(data, {
    instructions: 'Be brief.',
    temperature: 0.3,
    top_p: 0.5,
    max_output_tokens: 77,
    reasoning: { effort: 'low' },
    text: { format: { type: 'json_schema', name: 'thing', schema } },
    tools: [{ type: 'function', name: 'ask' }],
  })
  const strict = client.responses.create(
    { model: 'echo', input: 'x', truncation: 'auto' },
    { headers: { prefer: 'handling=strict' } },
  )
  await t.rejects(strict, { status: 400, param: 'truncation', message: /^400 / })
})

t.test('a response goes on from another one, in its session', async t => {
  await texts('I am listening.', 'You said blue.')
  const first = await client.responses.create({ model: 'model', input: 'Blue' })
  const { data: second, response } = await client.responses
    .create({
      model: 'model',
      previous_response_id: first.id,
      input: [
        { role: 'developer', content: 'Answer in English.' },
        { role: 'user', content: 'What did I say?' },
      ],
    })
    .withResponse()
  t.equal(second.previous_response_id, first.id)
  t.not(second.id, first.id)
  const task = await taskOf(api, first.id.slice('resp_'.length))
  t.equal(response.headers.get('x-session-id'), task.session_id)
  const asked = lastAsked().messages as { role: string; content: string }[]
  t.match(
    asked.map(({ role }) => role),
    ['user', 'assistant', /developer|system/, 'user'],
  )
  const items = await client.responses.inputItems.list(second.id, { order: 'asc' })
  t.match(items.data, [
    { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'Answer in English.' }] },
    { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'What did I say?' }] },
  ])
  const [top, next] = items.data
  const page = await client.responses.inputItems.list(second.id, { order: 'asc', after: top?.id ?? '' })
  t.same(page.data, [next])
  await t.rejects(client.responses.inputItems.list(second.id, { after: 'zz' }), {
    status: 400,
    message: /after: The response has no item with this id/,
  })
  const unknown = client.responses.create({ model: 'echo', input: 'x', previous_response_id: 'resp_none' })
  await t.rejects(unknown, { status: 400, code: 'previous_response_not_found' })
})

t.test(
  'a call of a function of the client ends a response, and its output goes on with the task',
  async t => {
    await script([
      { tool_calls: [{ name: 'ask', arguments: { question: 'Which?' } }] },
      { text: 'Blue it is.' },
    ])
    const first = await client.responses.create({ model: 'model', input: 'Ask me', tools: [ask] })
    t.equal(first.status, 'completed')
    const call = first.output.at(-1) as OpenAI.Responses.ResponseFunctionToolCall
    t.match(call, { type: 'function_call', name: 'ask', status: 'completed' })
    t.match(JSON.parse(call.arguments), { question: 'Which?' })
    const taskId = first.id.slice('resp_'.length)
    t.equal((await taskOf(api, taskId)).status, 'input-required')

    const forgotten = client.responses.create({
      model: 'model',
      input: 'Well?',
      previous_response_id: first.id,
    })
    await t.rejects(forgotten, { status: 400, message: /No tool output found/ })
    const stray = client.responses.create({
      model: 'model',
      previous_response_id: first.id,
      input: [{ type: 'function_call_output', call_id: 'call_none', output: 'x' }],
    })
    await t.rejects(stray, { status: 400, message: /No tool call found/ })

    const answer = {
      model: 'model',
      previous_response_id: first.id,
      input: [{ type: 'function_call_output' as const, call_id: call.call_id, output: 'blue' }],
    }
    const second = await client.responses.create(answer)
    t.equal(second.output_text, 'Blue it is.')
    t.not(second.id, first.id)
    t.equal(second.previous_response_id, first.id)
    t.equal((await taskOf(api, taskId)).status, 'completed', 'the same task')

    t.same((await client.responses.create(answer)).id, second.id, 'the same answer is the same response')
    t.same((await client.responses.retrieve(first.id)).output, first.output, 'the first one stays as it was')
    t.same((await client.responses.retrieve(second.id)).output, second.output)
    t.match((await client.responses.inputItems.list(second.id)).data, [
      { type: 'function_call_output', call_id: call.call_id, output: 'blue' },
    ])
    const events = await all(await client.responses.retrieve(second.id, { stream: true }))
    t.equal(events[0]?.type, 'response.created')
    t.equal(events.at(-1)?.type, 'response.completed')
    await t.rejects(client.responses.retrieve(`resp_${taskId}.3`), { status: 404, message: /^404 / })
  },
)

t.test('a response in the background is asked for, followed, canceled and deleted', async t => {
  await script([{ text: 'slowly '.repeat(200), token_ms: 20 }])
  const begun = await client.responses.create({ model: 'model', input: 'Go', background: true })
  t.match(begun, { background: true, status: /queued|in_progress/, usage: null })
  const stream = await client.responses.retrieve(begun.id, { stream: true })
  const seen: string[] = []
  for await (const event of stream) {
    seen.push(event.type)
    if (event.type === 'response.output_text.delta') await client.responses.cancel(begun.id)
  }
  t.equal(seen.at(-1), 'response.incomplete')
  const canceled = await client.responses.cancel(begun.id)
  t.equal(canceled.status, 'cancelled', 'a second cancel changes nothing')
  await client.responses.delete(begun.id)
  await t.rejects(client.responses.retrieve(begun.id), { status: 404, code: 'response_not_found' })
})

t.test('a retry of the client is the same response', async t => {
  await texts('once')
  const before = model.asked.length
  const headers = { 'idempotency-key': 'a key of mine' }
  const one = await client.responses.create({ model: 'model', input: 'Once' }, { headers })
  const { data: two, response } = await client.responses
    .create({ model: 'model', input: 'Once' }, { headers })
    .withResponse()
  t.same(two, one)
  t.equal(response.headers.get('idempotency-replayed'), 'true')
  t.equal(model.asked.length, before + 1)
  await t.rejects(client.responses.create({ model: 'model', input: 'Twice' }, { headers }), {
    status: 409,
    message: /^409 /,
  })
})

t.test('a connection that breaks does not end the task, and the stream is taken up', async t => {
  await script([{ text: 'one two three four five six seven eight nine ten', token_ms: 40 }])
  const stream = await client.responses.create({ model: 'model', input: 'Count', stream: true })
  const events: OpenAI.Responses.ResponseStreamEvent[] = []
  let id = ''
  for await (const event of stream) {
    events.push(event)
    if (event.type === 'response.created') id = event.response.id
    if (event.type === 'response.output_text.delta') break
  }
  await pause(50)
  const after = events.at(-1)?.sequence_number ?? 0
  const rest = await all(await client.responses.retrieve(id, { stream: true, starting_after: after }))
  const whole = [...events, ...rest]
  t.same(
    whole.map(event => event.sequence_number),
    whole.map((_, n) => n),
  )
  t.match(await client.responses.retrieve(id), { status: 'completed' })
})

t.test('an agent that fails gives a failed response', async t => {
  await script([{ error: { status: 400, message: 'no such thing' } }])
  const failed = await client.responses.create({ model: 'model', input: 'Fail' })
  t.match(failed, { status: 'failed', error: { code: 'server_error', message: /no such thing/ } })
  await script([{ text: 'half', finish_reason: 'length' }])
  const cut = await client.responses.create({ model: 'model', input: 'Cut' })
  t.match(cut, { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } })
})

t.test('a task that is paused or waits for an approval is in progress', async t => {
  const made = await api('POST', '/tasks', {
    user_message_content: 'go',
    stream: false,
    agent_config: {
      agent_id: 'script',
      approve: ['calculator'],
      script: [{ tool: 'calculator', arguments: { expression: '1+1' } }, { message: 'It is $result' }],
    },
  })
  const { result } = (await made.json()) as { result: { id: string; input_required: { call_id: string } } }
  const id = `resp_${result.id}`
  t.match(await client.responses.retrieve(id), { status: 'in_progress', output: [] })
  const rest = client.responses.retrieve(id, { stream: true }).then(all)
  await api('POST', `/tasks/${result.id}/approvals`, {
    call_id: result.input_required.call_id,
    decision: 'approve',
  })
  t.equal((await rest).at(-1)?.type, 'response.completed')
  t.equal((await client.responses.retrieve(id)).output_text, 'It is 2')
})

t.test('errors have the form of OpenAI, and say what to do', async t => {
  const one = (body: object) => client.responses.create(body as never)
  await t.rejects(one({ model: 'nobody', input: 'x' }), {
    status: 404,
    code: 'model_not_found',
    type: 'invalid_request_error',
    message: /the agents are .*echo/,
  })
  await t.rejects(one({ model: 'echo' }), { status: 400, param: 'input', message: /^400 / })
  await t.rejects(one({ model: 'echo', input: [{ type: 'computer_call' }] }), {
    status: 400,
    param: /input/,
    message: /^400 /,
  })
  await t.rejects(one({ model: 'echo', input: 'x', tools: [{ type: 'web_search' }] }), {
    message: /^400 /,
    status: 400,
    param: /tools/,
  })
  const stranger = clientOf(url, { apiKey: 'nobody' })
  await t.rejects(stranger.responses.create({ model: 'echo', input: 'x' }), {
    status: 401,
    code: 'invalid_api_key',
  })
})

t.test('a user sees no response of another user, and an auditor makes none', async t => {
  const tokenOf = async (body: object) => {
    const made = await api('POST', '/auth/tokens', body)
    return ((await made.json()) as { token: string }).token
  }
  const ann = clientOf(url, { apiKey: await tokenOf({ role: 'user', user_id: 'ann' }) })
  const bob = clientOf(url, { apiKey: await tokenOf({ role: 'user', user_id: 'bob' }) })
  const auditor = clientOf(url, { apiKey: await tokenOf({ role: 'auditor' }) })
  const { id } = await ann.responses.create({ model: 'echo', input: 'mine' })
  t.equal((await auditor.responses.retrieve(id)).output_text, 'mine')
  await t.rejects(bob.responses.retrieve(id), { status: 404, message: /^404 / })
  await t.rejects(bob.responses.delete(id), { status: 404, message: /^404 / })
  await t.rejects(bob.responses.create({ model: 'echo', input: 'x', previous_response_id: id }), {
    code: 'previous_response_not_found',
  })
  await t.rejects(auditor.responses.create({ model: 'echo', input: 'x' }), { status: 403, message: /^403 / })
})

t.test('models are the agents of the caller', async t => {
  const names = (await all(client.models.list())).map(({ id }) => id)
  for (const name of ['demo', 'echo', 'model', 'script']) t.ok(names.includes(name), name)
  t.match(await client.models.retrieve('echo'), { id: 'echo', object: 'model', owned_by: 'reprise' })
  await t.rejects(client.models.retrieve('nobody'), { status: 404, code: 'model_not_found' })
})

t.test('the operator was told of no error', async t => {
  t.same(
    lines.filter(({ level }) => level === 'error'),
    [],
  )
})
