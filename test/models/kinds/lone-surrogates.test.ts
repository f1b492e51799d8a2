// The kind: half of a surrogate pair in a text poisons the conversation, because strict parsers of JSON refuse it. A body
// has the replacement character in its place; pairs that the stream has cut stay whole, and the log keeps what came.
import t from 'tap'
import { replayTasks, sse } from '../../agents/streams/replay.ts'
import { textsOf } from '../../http/agent-tasks.ts'
import { delta } from '../../support/fake-model.ts'

const high = '\ud83c'
const low = '\udf89'
const done = { body: [sse(delta({ content: 'done' }, 'stop'), '[DONE]')] }
const isStrict = (raw: string) =>
  !/\\u[dD][89abAB][0-9a-fA-F]{2}(?!\\+u[dD][c-fC-F])/.test(raw) &&
  !/(?<!\\u[dD][89abAB][0-9a-fA-F]{2})\\u[dD][c-fC-F][0-9a-fA-F]{2}/.test(raw)

t.test('what a request brings', async t => {
  const { ask, asked, get } = await replayTasks(t, () => done)
  const call = { type: 'tool_call', call_id: 'c1', name: 'look' }
  const result = { type: 'tool_result', call_id: 'c1', block_list: [] }
  const requests: Record<string, object> = {
    'the message of the user': { user_message_content: `half ${high} of a pair` },
    'the other half': { user_message_content: `half ${low} of a pair` },
    'two halves in the wrong order': { user_message_content: `${low}${high}` },
    'a part of a message': { user_message_content: [{ type: 'text', text: high }] },
    instructions: { agent_config: { developer_prompt: `be ${high}` } },
    'the result of a tool': {
      history_messages: [
        { ...call, arguments: '{}' },
        { ...result, message_content: `saw ${high}` },
      ],
    },
    'raw arguments': {
      history_messages: [
        { ...call, arguments: `{"at":"${high}"}` },
        { ...result, message_content: '' },
      ],
    },
    'escaped arguments': {
      history_messages: [
        { ...call, arguments: '{"at":"\\ud83c!"}' },
        { ...result, message_content: '' },
      ],
    },
    'escaped names in arguments': {
      history_messages: [
        { ...call, arguments: '{"\\udf89":1}' },
        { ...result, message_content: '' },
      ],
    },
    'the name of a speaker': {
      history_messages: [{ type: 'message', role: 'user', name: `a${high}`, message_content: 'x' }],
    },
    'a thought': {
      history_messages: [{ type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: high }] }],
    },
    'fields of the body': { inference_args: { user: high } },
  }
  for (const [name, more] of Object.entries(requests)) {
    const task = await ask({ ...more, metadata: { half: high } })
    t.equal(task.status, 'completed', `${name}: ${JSON.stringify(task.error)}`)
    t.ok(isStrict(asked.at(-1)?.raw ?? ''), `${name}: ${asked.at(-1)?.raw}`)
    t.equal((await get(task.id)).metadata?.half, high, 'metadata stays as it is')
  }
  await ask({ user_message_content: `a whole ${high}${low} and \\ud83c in words` })
  t.equal(asked.at(-1)?.messages.at(-1)?.content, `a whole ${high}${low} and \\ud83c in words`)
})

const stop = delta({}, 'stop')
const call = (text: string) =>
  delta({ tool_calls: [{ index: 0, id: 'c', function: { name: 'run_javascript', arguments: text } }] })
const argument = (text: string) => delta({ tool_calls: [{ index: 0, function: { arguments: text } }] })
/** What was streamed, and the text that the task shows. */
const streams: Record<string, [chunks: object[], said: string]> = {
  'half of a pair': [[delta({ content: `A${high} B` }), stop], `A${high} B`],
  'half of a pair at the end': [[delta({ content: `A${high}` }), stop], `A${high}`],
  'a pair in two pieces': [
    [delta({ content: `A${high}` }), delta({ content: `${low}B` }), stop],
    `A${high}${low}B`,
  ],
  'a pair in two pieces, one after another': [
    [
      delta({ content: 'A' }),
      delta({ content: high }),
      delta({ content: low }),
      delta({ content: high }),
      delta({ content: low }),
      stop,
    ],
    `A${high}${low}${high}${low}`,
  ],
  'half of a pair in reasoning': [[delta({ reasoning_content: high }), delta({ content: 'A' }), stop], 'A'],
  'a pair in two pieces of reasoning': [
    [delta({ reasoning_content: high }), delta({ reasoning_content: low }), delta({ content: 'A' }), stop],
    'A',
  ],
  'half of a pair in arguments': [[call(`{"code":"'${high}'"}`), delta({}, 'tool_calls')], 'done'],
  'an escaped half in arguments': [[call(`{"code":"'\\ud83c'"}`), delta({}, 'tool_calls')], 'done'],
  'a pair in two pieces of arguments': [
    [call(`{"code":"'${high}`), argument(`${low}'"}`), delta({}, 'tool_calls')],
    'done',
  ],
}

t.test('what a model says', async t => {
  const { ask, asked } = await replayTasks(t, ({ role, content }) => {
    const [chunks] = streams[String(content)] ?? []
    return role === 'tool' || chunks === undefined ? done : { body: [sse(...chunks, '[DONE]')] }
  })
  for (const [name, [, said]] of Object.entries(streams)) {
    const task = await ask({ user_message_content: name, session_id: name.replaceAll(/\W/g, '-') })
    t.same([task.status, textsOf(task).at(-1)], ['completed', said], name)
    const next = await ask({ session_id: name.replaceAll(/\W/g, '-') })
    t.equal(next.status, 'completed', name)
    const { raw = '', messages = [] } = asked.at(-1) ?? {}
    t.ok(isStrict(raw), `${name}: ${raw}`)
    if (name.includes('pieces')) {
      t.notMatch(raw, '\ufffd', `${name}: the pair is whole`)
      t.ok(raw.includes(`${high}${low}`), `${name}: ${JSON.stringify(messages)}`)
    }
  }
})
