// What a model is sent of what a request brings (decision 41): each call is told by its rollout, to the byte.
import t, { type Test } from 'tap'
import { outline, textsOf } from '../http/agent-tasks.ts'
import { type Answer, says } from '../support/fake-model.ts'
import { bytesOf, digestOf, modelTasks } from './model-tasks.ts'

const message = (role: string, message_content: unknown) => ({ type: 'message', role, message_content })
const thought = (id: string, ...texts: string[]) => ({
  type: 'reasoning',
  id,
  summary: texts.map(text => ({ type: 'summary_text', text })),
})
const call = (call_id: string) => ({ type: 'tool_call', call_id, name: 'look', arguments: '{}' })
const result = (call_id: string, message_content: unknown) => ({
  type: 'tool_result',
  call_id,
  message_content,
  block_list: [],
})
const text = (text: string) => ({ type: 'text', text })

/** Tasks one after another; each call as it was sent, which is as its rollout says. */
const given = async (t: Test, ...answers: Answer[]) => {
  const tasks = await modelTasks(t, answers)
  const sent = async (more: object) => {
    const from = tasks.asked.length
    const task = await tasks.ask(more)
    const bodies = tasks.asked.slice(from).map(({ body }) => body)
    const told = (await tasks.entries(task.id)).map(bytesOf)
    t.same(told.map(digestOf), bodies.map(digestOf), 'the rollouts say what was sent')
    const messages = bodies.map(body => JSON.parse(body).messages as Record<string, unknown>[])
    return { task, messages: messages.at(-1) ?? [] }
  }
  return { ...tasks, sent }
}

t.test('thoughts that a request brings reach the model as text of the assistant', async t => {
  const { sent } = await given(t, says('one'), says('two'))
  const { messages } = await sent({
    session_id: 's',
    history_messages: [
      message('user', 'before'),
      thought('rs_1', 'First.', 'Then.'),
      message('assistant', 'said'),
      thought('rs_2', 'Look.'),
      call('c1'),
      result('c1', 'seen'),
    ],
    thought_messages: [{ ...thought('rs_3'), content: [{ type: 'reasoning_text', text: 'Careful.' }] }],
    user_message_content: 'now',
  })
  const calls = [{ id: 'c1', type: 'function', function: { name: 'look', arguments: '{}' } }]
  const first = [
    { role: 'user', content: 'before' },
    { role: 'assistant', content: '[thought] First.\nThen.\nsaid' },
    { role: 'assistant', content: '[thought] Look.', tool_calls: calls },
    { role: 'tool', tool_call_id: 'c1', content: 'seen' },
    { role: 'assistant', content: '[thought] Careful.' },
    { role: 'user', content: 'now' },
  ]
  t.same(messages, first)
  const next = await sent({ session_id: 's', user_message_content: 'and?' })
  t.same(next.messages.slice(0, -2), first, 'the next task of the session sees them, too')
})

t.test(
  "a model's own thoughts go back to it in the field in which they came, and to no other model",
  async t => {
    const { sent } = await given(t, { reasoning: 'Secretly.', text: 'one' }, says('two'), says('three'))
    await sent({ session_id: 's' })
    const own = await sent({ session_id: 's' })
    t.same(own.messages, [
      { role: 'user', content: 'x' },
      { role: 'assistant', content: 'one', reasoning_content: 'Secretly.' },
      { role: 'user', content: 'x' },
    ])
    const other = await sent({ session_id: 's', agent_config: { model: 'another' } })
    t.same(
      other.messages.map(message => Object.keys(message)),
      Array(5).fill(['role', 'content']),
    )
  },
)

t.test('thoughts of a model that a request brings are text, and come once', async t => {
  const { sent } = await given(t, { reasoning: 'Secretly.', text: 'one' }, says('two'))
  const { task } = await sent({ session_id: 's' })
  const { messages } = await sent({ session_id: 's', thought_messages: task.output.slice(0, 1) })
  t.same(
    messages.map(({ content }) => content),
    ['x', 'one', '[thought] Secretly.', 'x'],
  )
})

t.test('an output that is sent back as history is the whole past: nothing comes twice', async t => {
  const { sent } = await given(t, { reasoning: 'Hm.', text: 'one' }, says('two'))
  const { task } = await sent({ session_id: 's', user_message_content: 'hello' })
  const history_messages = [message('user', 'hello'), ...task.output]
  const next = await sent({ session_id: 's', user_message_content: 'and?', history_messages })
  t.same(
    next.messages.map(({ content }) => content),
    ['hello', '[thought] Hm.\none', 'and?'],
  )
  t.equal(next.task.previous_task_id, task.id)
})

t.test('text parts of one message stay parts, and a single one is a text', async t => {
  const { sent } = await given(t, says('one'))
  const { messages } = await sent({
    history_messages: [
      message('assistant', [text('alone')]),
      call('c1'),
      result('c1', [text('a'), text('b')]),
    ],
    user_message_content: [
      'first',
      text('second'),
      { type: 'input_image', image_url: { url: 'https://a.example/a.png' } },
    ],
  })
  t.match(messages, [
    { role: 'assistant', content: 'alone' },
    { role: 'tool', content: [text('a'), text('b')] },
    {
      role: 'user',
      content: [
        text('first'),
        text('second'),
        { type: 'image_url', image_url: { url: 'https://a.example/a.png' } },
      ],
    },
  ])
})

t.test('what no endpoint would take is made valid', async t => {
  const { sent } = await given(t, says('one'))
  const { messages } = await sent({
    history_messages: [
      result('lost', 'of a call that is not here'),
      message('user', ''),
      call('c1'),
      message('user', 'meanwhile'),
      result('c1', 'late'),
      message('assistant', []),
    ],
    user_message_content: 'now',
  })
  const called = (id: string, name: string) => ({
    role: 'assistant',
    content: null,
    tool_calls: [{ id, type: 'function', function: { name, arguments: '{}' } }],
  })
  t.same(messages, [
    called('lost', 'unknown_tool'),
    { role: 'tool', tool_call_id: 'lost', content: 'of a call that is not here' },
    called('c1', 'look'),
    { role: 'tool', tool_call_id: 'c1', content: 'late' },
    { role: 'user', content: 'meanwhile' },
    { role: 'user', content: 'now' },
  ])
})

t.test('a message that says nothing is sent when there is no other', async t => {
  const { sent } = await given(t, says('one'))
  const { messages } = await sent({ user_message_content: [] })
  t.same(messages, [{ role: 'user', content: '' }])
})

t.test(
  'an answer that was cut off for its length is incomplete, and stays in what is seen later',
  async t => {
    const { sent, get } = await given(
      t,
      { text: 'as far as', finish_reason: 'length' },
      says('and so on'),
      says('never mind'),
    )
    const { task } = await sent({ session_id: 's', task_id: 'cut', user_message_content: 'talk' })
    t.equal(task.status, 'completed')
    t.same(outline(task), ['message incomplete'])
    const [item] = task.output
    t.same(task.metadata?.incomplete_details, { reason: 'length', items: [item?.id] })
    const next = await sent({ session_id: 's', user_message_content: 'go on' })
    t.same(
      next.messages.map(({ content }) => content),
      ['talk', 'as far as', 'go on'],
    )
    t.notOk(next.task.metadata?.incomplete_details)
    t.same((await get('cut')).metadata, task.metadata)
  },
)

t.test('an answer that broke off in the middle is not seen later', async t => {
  const half: Answer = { text: 'half', cut: true, finish_reason: null }
  const { ask, sent } = await given(t, half, says('whole'), says('next'))
  const task = await ask({ session_id: 's' })
  t.same(outline(task), ['message incomplete', 'message completed'])
  t.same(task.metadata, { agent: 'model' })
  const { messages } = await sent({ session_id: 's' })
  t.same(
    messages.map(({ content }) => content),
    ['x', 'whole', 'x'],
  )
})

t.test('a subagent whose answer was cut off tells it as far as it came, as no whole result', async t => {
  const { ask } = await given(
    t,
    { tool_calls: [{ name: 'agent_model', arguments: { input: 'talk' } }], usage: false },
    { text: 'as far as', finish_reason: 'length' },
    says('I see'),
  )
  const task = await ask({ user_message_content: 'delegate', allowed_subagents: ['model'] })
  t.same(textsOf(task), ['I see'])
  const told = task.output.find(({ type }) => type === 'tool_result')
  t.match(told, { status: 'incomplete', message_content: 'as far as' })
})
