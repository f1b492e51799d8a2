// structured_output: the answer is JSON that fits the schema of the caller, or the task has failed.
import t from 'tap'
import { brief, read } from '../support/http.ts'
import { serveHere } from '../support/server.ts'
import { type AgentTask, callId, holds, script, tasksOf, textsOf, tool } from './agent-tasks.ts'

const { api, lines } = await serveHere(t)
const tasks = tasksOf(api)
const { play, post, answer, becomes, act } = tasks

const structured_output = {
  type: 'object',
  properties: { n: { type: 'integer' }, tags: { type: 'array', items: { type: 'string' } } },
  required: ['n'],
  additionalProperties: false,
}
const answering = (message: string) => play([{ message }], { structured_output })

t.test('an answer that fits is the answer', async t => {
  for (const message of ['{"n":1}', ' { "n" : 1.0, "tags": ["a"] }\n']) {
    const task = await answering(message)
    t.equal(task.status, 'completed', message)
    t.same(textsOf(task), [message])
    await holds(t, tasks, task.id)
  }
})

t.test('an answer that does not fit, or is no JSON, fails the task with -32602', async t => {
  const answers = [
    '{}',
    '{"n":"1"}',
    '{"n":1.5}',
    '{"n":1,"m":2}',
    '[]',
    'null',
    'one',
    '',
    '```json\n{"n":1}\n```',
    '{"n":1} ok',
  ]
  for (const message of answers) {
    const task = await answering(message)
    t.equal(task.status, 'failed', message)
    t.match(task.error, { code: -32602, message: /./ })
  }
  const task = await answering('{}')
  const { frames } = await holds(t, tasks, task.id)
  t.match(frames.at(-1), { type: 'task.failed', error: task.error })
})

t.test('an agent that says nothing has no answer that fits', async t => {
  const task = await play([{ reasoning: '{"n":1}' }], { structured_output })
  t.match(task, { status: 'failed', error: { code: -32602 } })
})

t.test('only the last message is the answer', async t => {
  const good = await play([{ message: 'let me see' }, { message: '{"n":1}' }], { structured_output })
  t.equal(good.status, 'completed')
  const more = await play([{ message: '{"n":1}' }, { reasoning: 'done' }], { structured_output })
  t.equal(more.status, 'completed')
  const bad = await play([{ message: '{"n":1}' }, { message: 'there you are' }], { structured_output })
  t.match(bad, { status: 'failed', error: { code: -32602 } })
})

t.test('a last step that calls a tool is held to it as well', async t => {
  const sum = { tool: 'calculator', arguments: { expression: '1' } }
  const good = await play([{ message: '{"n":1}' }, sum], { structured_output })
  t.equal(good.status, 'completed')
  const bad = await play([{ message: 'one' }, sum], { structured_output })
  t.match(bad, { status: 'failed', error: { code: -32602 } })
})

t.test('it holds for a task that waited for its client', async t => {
  for (const [given, status] of [
    ['{"n":1}', 'completed'],
    ['me', 'failed'],
  ] as const) {
    const task = await play([{ tool: 'ask' }, { message: '$result' }], {
      structured_output,
      client_tools: [tool('ask')],
    })
    await answer(task.id, { call_id: callId(task), message_content: given })
    t.equal((await becomes(task.id, 'completed', 'failed')).status, status)
  }
})

t.test('it holds in the background, too', async t => {
  const task = await play([{ message: 'one' }], { structured_output, background: true })
  t.match(await becomes(task.id, 'failed', 'completed'), { status: 'failed', error: { code: -32602 } })
})

t.test('a schema that is none is refused with its place', async t => {
  const bad = [
    { type: 'objekt' },
    { properties: [] },
    { required: 'n' },
    { type: 'string', pattern: '(' },
    { minimum: '1' },
    { $ref: '#/$defs/nothing' },
    { items: 1 },
  ]
  for (const schema of bad) {
    const { status, body } = await post({ client_id: 'echo', structured_output: schema, request_id: 'r' })
    t.equal(status, 422, JSON.stringify(schema))
    t.match(body.detail[0]?.loc.slice(0, 2), ['body', 'structured_output'])
  }
  for (const value of ['x', 1, [], true]) {
    const { status, body } = await post({ client_id: 'echo', structured_output: value })
    t.equal(status, 422)
    t.match(brief(body.detail)[0], /^body structured_output /)
  }
})

t.test('a reference that leads out of the schema is refused, and nothing is fetched', async t => {
  for (const $ref of [
    'http://127.0.0.1:1/schema',
    'https://example.com/s.json',
    'file:///etc/passwd',
    'other.json',
  ]) {
    const { status, body } = await post({ client_id: 'echo', structured_output: { $ref } })
    t.equal(status, 422, $ref)
    t.match(body.detail[0]?.loc.slice(0, 2), ['body', 'structured_output'])
  }
  const own = { $defs: { n: { type: 'integer' } }, type: 'object', properties: { n: { $ref: '#/$defs/n' } } }
  t.equal((await play([{ message: '{"n":1}' }], { structured_output: own })).status, 'completed')
  t.equal((await play([{ message: '{"n":"x"}' }], { structured_output: own })).status, 'failed')
})

t.test('null, and an empty schema, ask for nothing but JSON', async t => {
  t.equal((await play([{ message: 'one' }], { structured_output: null })).status, 'completed')
  t.equal((await play([{ message: '1' }], { structured_output: {} })).status, 'completed')
})

t.test('when streaming it is ignored, whatever it is', async t => {
  for (const schema of [structured_output, { type: 'objekt' }, { $ref: 'http://x/y' }]) {
    const told = await tasks.stream({ agent_config: script({ message: 'one' }), structured_output: schema })
    t.equal(told.response.status, 200)
    const text = await told.rest()
    t.equal(told.frames().at(-1)?.type, 'task.completed')
    await holds(t, tasks, told.response.headers.get('x-task-id') ?? '', text)
  }
})

t.test('the demo agent gives JSON that fits', async t => {
  const schemas = [
    structured_output,
    {
      type: 'object',
      properties: { answer: { type: 'number' }, why: { type: 'string' } },
      required: ['answer'],
    },
    { enum: ['a', 'b'] },
    { const: 7 },
    { type: 'array', items: { type: 'boolean' }, minItems: 2 },
    { anyOf: [{ type: 'null' }, { type: 'string' }] },
    { type: 'integer', minimum: 5 },
    {},
  ]
  await Promise.all(
    schemas.map(async schema => {
      const { body } = await post({
        client_id: 'demo',
        user_message_content: 'hi',
        structured_output: schema,
      })
      t.equal(body.result.status, 'completed', JSON.stringify(schema))
      t.doesNotThrow(() => JSON.parse(textsOf(body.result).at(-1) ?? ''))
    }),
  )
  const { body } = await post({
    client_id: 'demo',
    user_message_content: 'what is 6*7?',
    structured_output: { type: 'object', properties: { answer: { type: 'number' } }, required: ['answer'] },
  })
  t.same(JSON.parse(textsOf(body.result).at(-1) ?? ''), { answer: 42 })
})

t.test('a schema that never ends to check, or a pattern that blows up, holds nobody else up', async t => {
  const evil = { type: 'string', pattern: '^(a+)+$' }
  const slow = play([{ message: JSON.stringify(`${'a'.repeat(40)}!`) }], {
    structured_output: evil,
    background: true,
  })
  const { id } = await slow
  t.equal((await play([{ message: 'quick' }])).status, 'completed')
  t.equal(
    (await play([{ message: '{"n":1}' }], { structured_output })).status,
    'completed',
    'another check goes on',
  )
  await act(id, 'cancel')
  t.match((await tasks.get(id)).status, /failed|canceled/)
})

t.test('a subagent is not held to the schema of its caller', async t => {
  const task = await play([{ subagent: 'echo', input: 'plain' }, { message: '{"n":1}' }], {
    structured_output,
  })
  t.equal((task as AgentTask).status, 'completed')
  t.match(task.output[1], { status: 'completed', message_content: 'plain' })
})

t.test('the operator was told of no error', async t => {
  t.equal((await read(api('GET', '/tasks'))).status, 200)
  t.same(
    lines.filter(({ level }) => level === 'error'),
    [],
  )
})
