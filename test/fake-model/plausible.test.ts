// What a fake model says that has no script.
import t from 'tap'
import { createSchemaChecker } from '../../src/json-schema/checker.ts'
import { fakeModel } from '../support/fake-model.ts'
import { serveHere } from '../support/server.ts'
import { contentOf, given } from './support.ts'

const calculator = { type: 'function', function: { name: 'calculator' } }
const sum = 'what is 2+3*4?'

t.test('it asks the calculator where one is offered, and tells what came back', async t => {
  const { whole } = await given(t)
  const call = { function: { name: 'calculator', arguments: '{"expression":"2+3*4"}' } }
  t.match((await whole(sum, { tools: [calculator] })).choices[0], {
    finish_reason: 'tool_calls',
    message: { reasoning_content: /2\+3\*4/, tool_calls: [call] },
  })
  const after = [
    { role: 'user', content: sum },
    { role: 'assistant', content: null, tool_calls: [call] },
    { role: 'tool', content: '14' },
  ]
  t.match(contentOf(await whole(after, { tools: [calculator] })), /^The tool says “14”/)
})

t.test('without a calculator, arithmetic or leave to call, it quotes what it was asked', async t => {
  const { whole } = await given(t)
  for (const [said, more] of [
    [sum, {}],
    [sum, { tools: [calculator], tool_choice: 'none' }],
    ['hello', { tools: [calculator] }],
  ] as const) {
    t.match(contentOf(await whole(said, more)), `You said “${said}”`)
  }
})

t.test('a schema gets JSON that fits it', async t => {
  const { whole } = await given(t)
  const schema = {
    type: 'object',
    properties: {
      answer: { type: 'string' },
      sure: { type: 'boolean' },
      steps: { type: 'array', items: { type: 'number' }, minItems: 2 },
    },
    required: ['answer', 'sure', 'steps'],
    additionalProperties: false,
  }
  const response_format = { type: 'json_schema', json_schema: { name: 'answer', schema } }
  const text = String(contentOf(await whole('hello', { response_format })))
  const checker = createSchemaChecker()
  t.teardown(() => checker.close())
  t.match(await checker.check(schema, JSON.parse(text)), { ok: true })
  const free = await whole('hello', { response_format: { type: 'json_object' } })
  t.same(JSON.parse(String(contentOf(free))), { answer: 'hello' })
})

t.test('our own agent goes a whole round with it', async t => {
  const { env } = await fakeModel(t)
  const { api } = await serveHere(t, env)
  const answer = await api('POST', '/tasks', { user_message_content: sum, stream: false })
  const { result } = (await answer.json()) as { result: { status: string; output: { type: string }[] } }
  t.equal(result.status, 'completed')
  t.same(
    result.output.map(({ type }) => type),
    ['reasoning', 'tool_call', 'tool_result', 'message'],
  )
  t.match(JSON.stringify(result.output.at(-1)), 'The tool says “14”')
})
