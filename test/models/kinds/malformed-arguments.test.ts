// The kind: arguments that are no JSON object poison the conversation, because endpoints parse the arguments of earlier
// calls. They go back as a JSON object that holds the model's text, and the log keeps the text itself.
import t from 'tap'
import { replayTasks, sse } from '../../agents/streams/replay.ts'
import { callsOf, resultsOf, tasksOf } from '../../http/agent-tasks.ts'
import { delta } from '../../support/fake-model.ts'
import { serveHere } from '../../support/server.ts'
import { serveImitation } from '../imitations/serve.ts'

const long = 'x'.repeat(300_000)
/** The arguments of the model, and the object that goes back; undefined: the text of the model. */
const table: Record<string, [text: string, back?: object]> = {
  'an object': ['{"expression": "1+1"}'],
  'an object with blanks around it': [' {"expression":"1+1"}\n'],
  'an object that ends early': ['{"expression":"1+1', { not_a_json_object: '{"expression":"1+1' }],
  'a list': ['[1]', { not_a_json_object: '[1]' }],
  'a number': ['7', { not_a_json_object: '7' }],
  'a text in quotes': ['"1+1"', { not_a_json_object: '"1+1"' }],
  'an object in quotes': [
    '"{\\"expression\\":\\"1+1\\"}"',
    { not_a_json_object: '"{\\"expression\\":\\"1+1\\"}"' },
  ],
  words: ['1+1', { not_a_json_object: '1+1' }],
  NaN: ['{"expression":NaN}', { not_a_json_object: '{"expression":NaN}' }],
  'quotes of another language': ["{'expression':'1+1'}", { not_a_json_object: "{'expression':'1+1'}" }],
  'two objects': ['{"a":1}{"a":2}', { not_a_json_object: '{"a":1}{"a":2}' }],
  'control characters in a text': ['{"expression":"1\n+1"}', { not_a_json_object: '{"expression":"1\n+1"}' }],
  'a byte of zero': ['{"expression":"\u0000"}', { not_a_json_object: '{"expression":"\u0000"}' }],
  'a name twice': ['{"expression":"1+1","expression":"2+2"}'],
  'a number that is too large': ['{"expression":123456789012345678901234567890}'],
  'long text that is whole': [`{"expression":"${long}"}`],
  'long text that ends early': [`{"expression":"${long}`, { not_a_json_object: `{"expression":"${long}` }],
}
const ended = delta({}, 'tool_calls')
const called = (text: string) =>
  delta({ tool_calls: [{ index: 0, id: 'c', function: { name: 'calculator', arguments: text } }] })

t.test('what goes back, and what is kept', async t => {
  const { ask, asked } = await replayTasks(t, ({ role, content }) => {
    const [text] = table[String(content)] ?? []
    return role === 'tool' || text === undefined
      ? { body: [sse(delta({ content: 'done' }, 'stop'), '[DONE]')] }
      : { body: [sse(called(text), ended, '[DONE]')] }
  })
  for (const [name, [text, back]] of Object.entries(table)) {
    const task = await ask({ user_message_content: name })
    t.equal(task.status, 'completed', `${name}: ${JSON.stringify(task.error)}`)
    t.equal(callsOf(task)[0]?.arguments, text, `${name}: the log keeps the text`)
    t.equal(resultsOf(task).length, 1, `${name}: the call has a result`)
    const [, said] = asked.at(-1)?.messages ?? []
    const sent = String(
      (said?.tool_calls?.[0] as { function: { arguments?: string } } | undefined)?.function.arguments,
    )
    t.equal(sent, back === undefined ? text : JSON.stringify(back), `${name}: what goes back`)
    t.ok(!Array.isArray(JSON.parse(sent)) && typeof JSON.parse(sent) === 'object', `${name}: it is an object`)
  }
})

t.test('no arguments are an empty object', async t => {
  for (const text of ['', '{}', 'null', ' ']) {
    const { ask, asked } = await replayTasks(t, (_, nth) => ({
      body: [sse(...(nth === 0 ? [called(text), ended] : [delta({ content: 'done' }, 'stop')]), '[DONE]')],
    }))
    await ask()
    t.match(asked.at(-1)?.messages[1]?.tool_calls, [{ function: { arguments: '{}' } }], JSON.stringify(text))
  }
})

t.test('endpoints that parse arguments accept them', async t => {
  for (const name of ['vllm', 'llama.cpp', 'ollama'] as const) {
    const broken = Object.values(table).flatMap(([text, back]) =>
      back === undefined || text.length > 1000 ? [] : [text],
    )
    const { url, model, refusals } = await serveImitation(t, name, [
      ...broken.map(text => ({ tool_calls: [{ name: 'calculator', arguments: text }] })),
      { text: 'done' },
    ])
    const server = await serveHere(t, {
      MODEL_BASE_URL: url,
      MODEL: model,
      MODEL_DIALECT: name,
      MODEL_API_KEY: 'sk-imitation',
    })
    const { body } = await tasksOf(server.api).post({})
    t.same([(body.result as { status?: string }).status, refusals], ['completed', []], name)
  }
})
