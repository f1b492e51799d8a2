// The kind: what an endpoint gave with a turn is lost, or goes to another endpoint or model. Its reasoning, signatures
// and ids go back with the turn, in the fields in which they came, to the same endpoint and model alone.
import t from 'tap'
import { replayTasks, type SentMessage, sse } from '../../agents/streams/replay.ts'
import { endsOf, forksOf } from '../../http/fork-calls.ts'
import { delta } from '../../support/fake-model.ts'

const body = (...chunks: object[]) => ({ body: [sse(...chunks, '[DONE]')] })
const stop = delta({}, 'stop')
const yes = [delta({ content: 'yes' }), stop]
const detail = (fields: object) =>
  delta({ reasoning_details: [{ type: 'reasoning.text', index: 0, ...fields }] })

/** What was streamed, and the message that goes back. */
const turns: Record<string, [streamed: object[], back: object]> = {
  'in reasoning_content': [
    [delta({ reasoning_content: 'h' }), delta({ reasoning_content: 'm' }), ...yes],
    { reasoning_content: 'hm' },
  ],
  'in reasoning': [[delta({ reasoning: 'h' }), delta({ reasoning: 'm' }), ...yes], { reasoning: 'hm' }],
  'in both, as one': [
    [delta({ reasoning: 'hm', reasoning_content: 'hm' }), ...yes],
    { reasoning_content: 'hm' },
  ],
  'in pieces of details': [
    [detail({ text: 'h' }), detail({ text: 'm' }), detail({ signature: 'sig' }), ...yes],
    { reasoning_details: [{ type: 'reasoning.text', index: 0, text: 'hm', signature: 'sig' }] },
  ],
  'in details beside the text': [
    [delta({ reasoning: 'hm', reasoning_details: [{ type: 'reasoning.text', text: 'hm' }] }), ...yes],
    { reasoning_details: [{ type: 'reasoning.text', text: 'hm' }] },
  ],
  'in details that are sealed': [
    [detail({ type: 'reasoning.encrypted', data: 'abc' }), ...yes],
    { reasoning_details: [{ type: 'reasoning.encrypted', index: 0, data: 'abc' }] },
  ],
  'in several details': [
    [
      detail({ text: 'a', signature: 's' }),
      detail({ index: 1, type: 'reasoning.encrypted', data: 'x' }),
      ...yes,
    ],
    {
      reasoning_details: [
        { type: 'reasoning.text', index: 0, text: 'a', signature: 's' },
        { type: 'reasoning.encrypted', index: 1, data: 'x' },
      ],
    },
  ],
  'in tags': [
    [delta({ content: '<think>hm</think>yes' }), stop],
    { content: '<think>\nhm\n</think>\n\nyes' },
  ],
  'in parts of the content': [
    [delta({ content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] }] }), ...yes],
    {
      content: [
        { type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] },
        { type: 'text', text: 'yes' },
      ],
    },
  ],
  'that is empty': [[delta({ reasoning_content: '' }), ...yes], {}],
  'that is null': [
    [delta({ reasoning_content: null, reasoning: null, reasoning_details: null }), ...yes],
    {},
  ],
  'with a signature of the message': [
    [
      delta({ reasoning_content: 'hm' }),
      delta({ extra_content: { google: { thought_signature: 'sig' } } }),
      ...yes,
    ],
    { reasoning_content: 'hm', extra_content: { google: { thought_signature: 'sig' } } },
  ],
}

t.test('reasoning', async t => {
  const all = Object.entries(turns)
  const { ask, asked } = await replayTasks(t, ({ content }) => body(...(turns[String(content)]?.[0] ?? yes)))
  for (const [n, [name, [, back]]] of all.entries()) {
    const session_id = `s${n}`
    await ask({ session_id, user_message_content: name })
    await ask({ session_id })
    t.same(asked.at(-1)?.messages[1], { role: 'assistant', content: 'yes', ...back }, name)
    await ask({ session_id, agent_config: { model: 'other' } })
    t.same(asked.at(-1)?.messages[1], { role: 'assistant', content: 'yes' }, `${name}, not to another model`)
    await ask({ session_id })
    t.same(
      asked.at(-1)?.messages[1],
      { role: 'assistant', content: 'yes', ...back },
      `${name}, and back again`,
    )
  }
})

const signed = { google: { thought_signature: 'sig' } }
const called = (fields: object, more: object = {}) => ({
  id: 'their-1',
  type: 'function',
  function: { name: 'calculator', arguments: '{"expression":"1+1"}', ...more },
  ...fields,
})
/** The fields of a streamed call, and those that go back. */
const fieldsOfCalls: Record<string, [streamed: object, back: object]> = {
  'an id': [called({}), called({})],
  'a long id with other signs': [
    called({ id: `a.b:${'c'.repeat(60)}` }),
    called({ id: `a.b:${'c'.repeat(60)}` }),
  ],
  'a signature beside the function': [called({ extra_content: signed }), called({ extra_content: signed })],
  'a signature in the function': [
    called({}, { thought_signature: 'sig' }),
    called({}, { thought_signature: 'sig' }),
  ],
  'a signature of the call': [called({ thought_signature: 'sig' }), called({ thought_signature: 'sig' })],
  'a signature that is null': [called({ thought_signature: null, extra_content: null }), called({})],
  'fields of a vendor': [
    called({ provider_specific_fields: { a: [1, { b: null }] } }),
    called({ provider_specific_fields: { a: [1, { b: null }] } }),
  ],
}
const isResult = ({ role }: SentMessage) => role === 'tool'

t.test('calls', async t => {
  const { ask, asked, entries } = await replayTasks(t, newest => {
    const [given] = fieldsOfCalls[String(newest.content)] ?? []
    return given === undefined
      ? body(...yes)
      : body(delta({ tool_calls: [{ index: 0, ...given }] }, 'tool_calls'))
  })
  for (const [name, [, back]] of Object.entries(fieldsOfCalls)) {
    const task = await ask({ user_message_content: name })
    const [, said, result] = asked.at(-1)?.messages ?? []
    t.same(said?.tool_calls, [back], name)
    t.equal(result?.tool_call_id, (back as { id: string }).id, `${name}: its result`)
    const ours = String(task.output.find(({ type }) => type === 'tool_call')?.call_id)
    t.match(ours, /^call_/, 'our API shows our id')
    t.equal(
      (await entries(task.id))[0]?.provider_call_ids?.[ours as never],
      (back as { id: string }).id.slice(0, 256),
    )
  }
})

t.test('calls of several steps, a summary, a fork and another model', async t => {
  let step = 0
  const { ask, asked, api, frames, becomes } = await replayTasks(t, newest => {
    if (String(newest.content).includes('assistant calls')) return body(delta({ content: 'a summary' }), stop)
    if (isResult(newest) ? step >= 3 : newest.content !== 'work') return body(...yes)
    const n = step++
    const call = { index: 0, ...called({ id: `id-${n}`, thought_signature: `sig-${n}` }) }
    return body(delta({ reasoning_content: `thought ${n}` }), delta({ tool_calls: [call] }, 'tool_calls'))
  })
  type Back = { reasoning_content?: string; tool_calls?: { id: string; thought_signature?: string }[] }
  const backOf = () =>
    ((asked.at(-1)?.messages ?? []) as Back[]).flatMap(({ reasoning_content, tool_calls }) =>
      (tool_calls ?? []).map(({ id, thought_signature }) => [reasoning_content, id, thought_signature]),
    )
  const three = [0, 1, 2].map(n => [`thought ${n}`, `id-${n}`, `sig-${n}`])
  const task = await ask({ session_id: 's', user_message_content: 'work' })
  t.same(backOf(), three, 'in the task itself')
  await ask({ session_id: 's' })
  t.same(backOf(), three, 'in the next task of the session')
  const at = endsOf(await frames(task.id)).at(-2) // before the answer, after the last result
  const fork = await forksOf(api).fork(task.id, { at })
  await becomes(fork.id, 'completed')
  t.same(backOf(), three, 'in a fork')
  await ask({ session_id: 's', agent_config: { model: 'other' } })
  t.same(
    backOf().map(([thought, id, signature]) => [thought, /^call_/.test(String(id)), signature]),
    Array(3).fill([undefined, true, undefined]),
    'another model gets our ids alone',
  )
  await ask({ session_id: 's', agent_config: { max_model_length: 400, compress_threshold_token_ratio: 0.9 } })
  const left = backOf()
  t.same(left, three.slice(3 - left.length), 'after a summary, what is left of it')
  t.ok(left.length < 3)
})
