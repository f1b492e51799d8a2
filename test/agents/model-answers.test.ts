// Answers that must fit a schema, and what ends a task that does not come to one.
import t from 'tap'
import { textsOf } from '../http/agent-tasks.ts'
import { bytesOf, type Entry, modelTasks } from './model-tasks.ts'

const schema = { type: 'object', required: ['ok'], properties: { ok: { type: 'boolean' } } }

t.test('an answer that does not fit is corrected once', async t => {
  const { ask, asked, entries } = await modelTasks(t, [{ text: 'Sure: {"ok":1}' }, { text: '{"ok":true}' }])
  const task = await ask({ structured_output: schema })
  t.equal(task.status, 'completed')
  t.same(textsOf(task), ['Sure: {"ok":1}', '{"ok":true}'])
  t.match(asked[1]?.request?.messages.at(-1), { role: 'user', content: /cannot be used.*not JSON/ })
  const told = await entries(task.id)
  t.same(
    told.map(entry => bytesOf(entry)),
    asked.map(({ body }) => body),
  )
  t.same(
    told.map(({ is_answer, turn }) => [is_answer, turn]),
    [
      [false, 1],
      [true, 1],
    ],
    'it is no turn of the user',
  )
})

t.test('and not twice', async t => {
  const { ask, asked } = await modelTasks(t, [{ text: 'no' }, { text: '{"ok":"no"}' }])
  const task = await ask({ structured_output: schema })
  t.match(task, { status: 'failed', error: { code: -32602, message: /structured_output/ } })
  t.equal(asked.length, 2)
})

t.test('an endpoint that knows no schemas is asked for JSON, else in words, from then on', async t => {
  const refusal = { error: { status: 400, message: 'response_format is not supported by this model' } }
  const { ask, asked, entries } = await modelTasks(t, [
    refusal,
    refusal,
    { text: '{"ok":true}' },
    { text: '{"ok":false}' },
  ])
  const prompt = { agent_config: { developer_prompt: 'Be brief.' }, structured_output: schema }
  const first = await ask(prompt)
  const second = await ask(prompt)
  t.match([first.status, second.status], ['completed', 'completed'])
  t.equal(asked.length, 4)
  t.same(asked[1]?.request?.response_format, { type: 'json_object' })
  t.notOk(asked[2]?.request?.response_format)
  t.match(asked[2]?.request?.messages[0], {
    role: 'system',
    content: /Be brief\.[\s\S]*JSON Schema[\s\S]*"ok"/,
  })
  const [entry] = (await entries(second.id)) as [Entry]
  t.equal(bytesOf(entry), asked[3]?.body)
})

const endless = { when: '', tool_calls: [{ name: 'calculator', arguments: { expression: '1+1' } }] }

t.test('a model that calls tools for ever is ended by steps, or by tokens', async t => {
  const steps = await modelTasks(t, [endless], { MODEL_MAX_STEPS: '3' })
  t.match(await steps.ask(), { status: 'failed', error: { message: /in 3 steps/ } })
  t.equal(steps.asked.length, 3)
  const tokens = await modelTasks(t, [{ ...endless, usage: { prompt_tokens: 40, completion_tokens: 10 } }], {
    MODEL_MAX_TOKENS: '100',
  })
  t.match(await tokens.ask(), { status: 'failed', error: { message: /with 100 tokens/ } })
  t.equal(tokens.asked.length, 2)
})

t.test('or by time', async t => {
  const { ask } = await modelTasks(t, [{ ...endless, delay_ms: 600 }], { MODEL_MAX_SECONDS: '1' })
  t.match(await ask(), { status: 'failed', error: { message: /in 1 s/ } })
})
