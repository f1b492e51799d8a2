// Streams of Anthropic Messages that a script of the fake model cannot play: thoughts without text and between others,
// inputs at the start of a block, refusals that say why, errors with types, and refusals from which the server learns.
import t, { type Test } from 'tap'
import { type Fields, fieldsOf, listOf } from '../../../src/fake-model/question.ts'
import { type Played, replay, sse } from '../../agents/streams/replay.ts'
import { type AgentTask, callsOf, tasksOf, textsOf } from '../../http/agent-tasks.ts'
import { serveHere } from '../../support/server.ts'

const block = (index: number, content_block: Fields, ...deltas: Fields[]): Fields[] => [
  { type: 'content_block_start', index, content_block },
  ...deltas.map(delta => ({ type: 'content_block_delta', index, delta })),
  { type: 'content_block_stop', index },
]
const thinking = (index: number, text: string, signature: string) =>
  block(
    index,
    { type: 'thinking', thinking: '', signature: '' },
    { type: 'thinking_delta', thinking: text },
    { type: 'signature_delta', signature },
  )
const text = (index: number, said: string) =>
  block(index, { type: 'text', text: '' }, { type: 'text_delta', text: said })
const use = (index: number, id: string, input: Fields, ...json: string[]) =>
  block(
    index,
    { type: 'tool_use', id, name: 'calculator', input },
    ...json.map(partial_json => ({ type: 'input_json_delta', partial_json })),
  )
const begin = {
  type: 'message_start',
  message: {
    id: 'msg_1',
    model: 'm',
    usage: { input_tokens: 5, cache_creation_input_tokens: 20, cache_read_input_tokens: 75 },
  },
}
const ending = (stop_reason: string, more: Fields = {}): Fields[] => [
  { type: 'message_delta', delta: { stop_reason, ...more }, usage: { output_tokens: 9 } },
  { type: 'message_stop' },
]
const stream = (...events: Fields[]): Played => ({ body: [sse(...events)] })
const refuse = (status: number, message: string): Played => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: [JSON.stringify({ type: 'error', error: { type: 'invalid_request_error', message } })],
})

/** A task whose model plays these answers in turn. */
const play = async (t: Test, answers: Played[], request: object = {}) => {
  const { asked, baseUrl } = await replay(t, (_newest, nth) => answers[nth] ?? stream())
  const server = await serveHere(t, { MODEL_BASE_URL: `${baseUrl}/messages`, MODEL: 'm' })
  const again = async () => {
    const {
      status,
      body,
      text: told,
    } = await tasksOf(server.api).post({
      user_message_content: 'hello',
      ...request,
    })
    t.equal(status, 200, told)
    return body.result as AgentTask
  }
  const task = await again()
  return { task, bodies: asked.map(({ body }) => body), asked, again }
}
const done = stream(begin, ...text(0, 'done'), ...ending('end_turn'))

t.test('thoughts between others go back where they stood, with or without a text', async t => {
  const { task, bodies } = await play(t, [
    stream(
      begin,
      ...thinking(0, 'One.', 's1'),
      ...thinking(1, 'Two.', 's2'),
      ...thinking(2, '', 's3'),
      ...text(3, 'I look.'),
      ...block(4, { type: 'redacted_thinking', data: 'r4' }),
      ...text(5, ' Closer.'),
      ...thinking(6, 'Three.', 's6'),
      ...use(7, 'toolu_1', { expression: '1+1' }),
      ...use(8, 'toolu_2', {}, '{"expression":', '"2+2"}'),
      ...thinking(9, 'Last.', 's9'),
      ...ending('tool_use'),
    ),
    done,
  ])
  t.equal(textsOf(task).at(-1), 'done')
  t.same(
    callsOf(task).map(({ arguments: args }) => args),
    ['{"expression":"1+1"}', '{"expression":"2+2"}'],
  )
  t.match(task.usage, { input_tokens: 200, output_tokens: 18, cached_tokens: 150 })
  t.same(fieldsOf(listOf(bodies[1]?.messages)[1]).content, [
    { type: 'thinking', thinking: 'One.', signature: 's1' },
    { type: 'thinking', thinking: 'Two.', signature: 's2' },
    { type: 'thinking', thinking: '', signature: 's3' },
    { type: 'text', text: 'I look. Closer.' },
    { type: 'redacted_thinking', data: 'r4' },
    { type: 'thinking', thinking: 'Three.', signature: 's6' },
    { type: 'tool_use', id: 'toolu_1', name: 'calculator', input: { expression: '1+1' } },
    { type: 'tool_use', id: 'toolu_2', name: 'calculator', input: { expression: '2+2' } },
  ])
})

t.test('a turn of thoughts and blank text goes back as nothing', async t => {
  const blank = [...thinking(0, 'One.', 's1'), ...text(1, '\n\n')]
  const { task, asked, again } = await play(t, [stream(begin, ...blank, ...ending('end_turn')), done], {
    session_id: 's',
  })
  t.equal(task.status, 'completed')
  t.equal((await again()).status, 'completed')
  t.match(asked[1]?.body.messages, [{ role: 'user', content: [{ text: 'hello' }, { text: 'hello' }] }])
})

t.test('a refusal says why', async t => {
  const stop_details = { type: 'refusal', category: 'bio', explanation: 'This could do harm.' }
  const { task } = await play(t, [stream(begin, ...ending('refusal', { stop_details }))])
  t.equal(task.status, 'completed')
  t.match(JSON.stringify(task.output), /"refusal".*This could do harm/)
})

t.test('an error that would come again fails the task at once; others are tried again', async t => {
  const error = (type: string, message: string): Fields => ({ type: 'error', error: { type, message } })
  const wrong = await play(t, [stream(begin, error('invalid_request_error', 'no such thing')), done])
  t.match(wrong.task, { status: 'failed', error: { message: /no such thing/ } })
  t.equal(wrong.bodies.length, 1)
  const busy = await play(t, [stream(begin, error('overloaded_error', 'Overloaded')), done])
  t.equal(busy.task.status, 'completed')
  t.equal(busy.bodies.length, 2)
})

t.test('the server learns from refusals what a model does not take', async t => {
  const schema = { type: 'object', properties: {} }
  const { task, bodies } = await play(
    t,
    [
      refuse(400, 'max_tokens: 32000 > 8192, which is the maximum allowed number of output tokens for m'),
      refuse(400, 'messages.0.content.0.cache_control: Extra inputs are not permitted'),
      refuse(400, 'output_config.format: Extra inputs are not permitted'),
      stream(begin, ...text(0, '{}'), ...ending('end_turn')),
    ],
    { structured_output: schema },
  )
  t.same(textsOf(task), ['{}'])
  t.same(
    bodies.map(({ max_tokens }) => max_tokens),
    [32_000, 8192, 8192, 8192],
  )
  t.same(
    bodies.map(body => /cache_control/.test(JSON.stringify(body))),
    [true, true, false, false],
  )
  t.same(
    bodies.map(body => 'output_config' in body),
    [true, true, true, false],
  )
  t.match(JSON.stringify(bodies[3]?.system), /JSON Schema/)
})

t.test('a context that is too long, also told in the stream, is summed up', async t => {
  const words = 'prompt is too long: 210000 tokens > 200000 maximum'
  const history_messages = ['user', 'assistant', 'user', 'assistant'].map((role, n) => ({
    type: 'message',
    id: `msg_${n}`,
    role,
    message_content: `part ${n} ${'word '.repeat(300)}`,
  }))
  for (const first of [
    refuse(400, words),
    stream(begin, { type: 'error', error: { type: 'invalid_request_error', message: words } }),
  ]) {
    const { task, bodies } = await play(
      t,
      [first, stream(begin, ...text(0, 'short'), ...ending('end_turn')), done],
      {
        history_messages,
      },
    )
    t.equal(task.status, 'completed')
    t.match(JSON.stringify(bodies[2]?.messages), /Summary of what came before:\\nshort/)
    t.notMatch(JSON.stringify(bodies[1]), /cache_control/, 'a summary is not cached')
  }
})
