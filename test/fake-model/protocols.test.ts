// One script, three protocols: what a model says is the same in each, streamed and whole.
import t from 'tap'
import type { Answer } from '../../src/fake-model/answer.ts'
import type { ProtocolName } from '../../src/fake-model/protocols/protocol.ts'
import { fold, given, names, paths, requests, unfold, type Whole } from './support.ts'

const full: Answer = {
  reasoning: 'let me think',
  signature: 'c2lnbmVk',
  redacted: 'c2VhbGVk',
  text: 'hello wörld 😀',
  tool_calls: [
    { name: 'add', arguments: { a: 1, b: 'é' }, id: 'call_a' },
    { name: 'list', id: 'call_b' },
  ],
  usage: { prompt_tokens: 10, completion_tokens: 7, cached_tokens: 4, reasoning_tokens: 3 },
}
const said = {
  reasoning: 'let me think',
  text: 'hello wörld 😀',
  calls: [
    { id: 'call_a', name: 'add', arguments: '{"a":1,"b":"é"}' },
    { id: 'call_b', name: 'list', arguments: '{}' },
  ],
}
const seals: Record<ProtocolName, string[]> = {
  chat: [],
  messages: ['c2lnbmVk', 'c2VhbGVk'],
  responses: ['c2lnbmVk', 'c2VhbGVk'],
}
const ends: Record<ProtocolName, string> = {
  chat: 'tool_calls',
  messages: 'tool_use',
  responses: 'completed',
}
const usages: Record<ProtocolName, object> = {
  chat: {
    prompt_tokens: 10,
    completion_tokens: 7,
    total_tokens: 17,
    prompt_tokens_details: { cached_tokens: 4 },
    completion_tokens_details: { reasoning_tokens: 3 },
  },
  messages: {
    input_tokens: 6,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 4,
    output_tokens: 7,
  },
  responses: {
    input_tokens: 10,
    input_tokens_details: { cached_tokens: 4 },
    output_tokens: 7,
    output_tokens_details: { reasoning_tokens: 3 },
    total_tokens: 17,
  },
}

for (const name of names) {
  t.test(`${name}: reasoning, text and calls are told in pieces and as a whole`, async t => {
    const { post } = await given(t, [full, full])
    const streamed = await post(paths[name], { ...requests[name], stream: true })
    t.match(streamed.headers.get('content-type'), 'text/event-stream')
    const expected = { ...said, end: ends[name], usage: usages[name] }
    const seen = fold[name](await streamed.text())
    t.match(seen, { ...expected, closed: true })
    const sealsOf = ({ seals: found }: Partial<Whole>) => found
    t.same(sealsOf(seen), seals[name])
    const body = unfold[name](await (await post(paths[name], requests[name])).json())
    t.match(body, expected)
    t.same(body.seals ?? [], seals[name])
  })

  t.test(`${name}: a refusal and each reason to finish are told in its words`, async t => {
    const words: Record<ProtocolName, Record<string, unknown>> = {
      chat: { stop: 'stop', length: 'length', content_filter: 'content_filter', odd: 'odd' },
      messages: { stop: 'end_turn', length: 'max_tokens', content_filter: 'refusal', odd: 'odd' },
      responses: { stop: 'completed', length: 'incomplete', error: 'failed', abort: 'cancelled' },
    }
    const { post } = await given(t, [
      { refusal: 'I will not' },
      ...Object.keys(words[name]).flatMap(finish_reason => [
        { text: 'a', finish_reason },
        { text: 'a', finish_reason },
      ]),
      { text: 'never ends', finish_reason: null },
    ])
    const ask = async (stream: boolean) => post(paths[name], { ...requests[name], stream })
    const refused = fold[name](await (await ask(true)).text())
    t.equal(name === 'messages' ? refused.text : refused.refusal, 'I will not')
    t.equal(refused.end, { chat: 'stop', messages: 'refusal', responses: 'completed' }[name])
    for (const [reason, end] of Object.entries(words[name])) {
      t.equal(fold[name](await (await ask(true)).text()).end, end, reason)
      t.equal(unfold[name](await (await ask(false)).json()).end, end, reason)
    }
    t.equal(fold[name](await (await ask(true)).text()).end, null)
  })

  t.test(`${name}: an error of the script, and of the request, has the form of the protocol`, async t => {
    const { post } = await given(t, [{ error: { status: 429, message: 'slow down' } }])
    const limited = await post(paths[name], requests[name])
    const error = (type: string, message: string | RegExp) =>
      name === 'messages' ? { type: 'error', error: { type, message } } : { error: { message } }
    t.equal(limited.status, 429)
    t.match(await limited.json(), error('rate_limit_error', 'slow down'))
    for (const [body, message] of [
      ['{', /^the body is no JSON/],
      [{}, / must be a list that is not empty$/],
      [{ messages: [1], input: [1] }, /^each of \w+ must be an object$/],
    ] as const) {
      const refused = await post(paths[name], body)
      t.equal(refused.status, 400)
      t.match(await refused.json(), error('invalid_request_error', message))
    }
  })
}

const image = 'data:image/png;base64,iVBORw0KGgo='
/** The same turn in each protocol: a user with a text and an image; then, after a call, the result of a tool. */
const turns: Record<ProtocolName, { user: object; tool: object }> = {
  chat: {
    user: {
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'what is this?' },
            { type: 'image_url', image_url: { url: image } },
          ],
        },
      ],
    },
    tool: {
      messages: [
        { role: 'user', content: 'what is 1+1?' },
        { role: 'assistant', content: null, tool_calls: [{ id: 'c', type: 'function', function: {} }] },
        { role: 'tool', tool_call_id: 'c', content: 'two' },
      ],
    },
  },
  messages: {
    user: {
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'what is this?' },
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } },
          ],
        },
      ],
    },
    tool: {
      messages: [
        { role: 'user', content: 'what is 1+1?' },
        { role: 'assistant', content: [{ type: 'tool_use', id: 'c', name: 'a', input: {} }] },
        {
          role: 'user',
          content: [{ type: 'tool_result', tool_use_id: 'c', content: [{ type: 'text', text: 'two' }] }],
        },
      ],
    },
  },
  responses: {
    user: {
      input: [
        {
          role: 'user',
          content: [
            { type: 'input_text', text: 'what is this?' },
            { type: 'input_image', image_url: image },
          ],
        },
      ],
    },
    tool: {
      input: [
        { role: 'user', content: 'what is 1+1?' },
        { type: 'function_call', call_id: 'c', name: 'a', arguments: '{}' },
        { type: 'function_call_output', call_id: 'c', output: 'two' },
      ],
    },
  },
}
const schema = { type: 'object', properties: { answer: { type: 'string' } }, required: ['answer'] }
const structured: Record<ProtocolName, object> = {
  chat: { response_format: { type: 'json_schema', json_schema: { name: 'a', schema } } },
  messages: { output_config: { format: { type: 'json_schema', schema } } },
  responses: { text: { format: { type: 'json_schema', name: 'a', schema } } },
}
const calculator: Record<ProtocolName, object> = {
  chat: { type: 'function', function: { name: 'calculator' } },
  messages: { name: 'calculator', input_schema: { type: 'object' } },
  responses: { type: 'function', name: 'calculator' },
}
const noTools: Record<ProtocolName, unknown> = { chat: 'none', messages: { type: 'none' }, responses: 'none' }

for (const name of names) {
  t.test(`${name}: without a script it sees images, results, schemas and tools`, async t => {
    const { post } = await given(t)
    const ask = async (more: object) =>
      unfold[name](await (await post(paths[name], { ...requests[name], ...more })).json())
    t.match(await ask(turns[name].user), { text: /^You said “what is this\?\n?” and showed me 1 image\./ })
    t.match(await ask(turns[name].tool), { text: /^The tool says “two”/ })
    t.same(JSON.parse((await ask(structured[name])).text ?? ''), { answer: 'hello' })
    const sum =
      name === 'responses' ? { input: '2+3' } : { messages: [{ role: 'user', content: 'what is 2+3?' }] }
    const tools = [calculator[name]]
    t.match(await ask({ ...sum, tools }), {
      calls: [{ name: 'calculator', arguments: '{"expression":"2+3"}' }],
    })
    t.match(await ask({ ...sum, tools, tool_choice: noTools[name] }), { calls: [], text: /^You said/ })
  })
}

t.test(
  'Messages think only when they are asked to, and Responses seal only when they are asked to',
  async t => {
    const { post } = await given(t)
    const messages = [{ role: 'user', content: 'what is 2+3?' }]
    const tools = [calculator.messages]
    const ask = async (more: object) =>
      unfold.messages(await (await post(paths.messages, { max_tokens: 9, messages, tools, ...more })).json())
    t.equal((await ask({})).reasoning, '')
    t.match((await ask({ thinking: { type: 'enabled', budget_tokens: 1024 } })).reasoning, '2+3')
    t.match(await ask({ thinking: { type: 'adaptive' } }), { seals: [/^[\w+/]{43}=$/] })
    const response = { input: 'what is 2+3?', tools: [calculator.responses] }
    const open = unfold.responses(await (await post(paths.responses, response)).json())
    t.match(open.reasoning, '2+3')
    t.same(open.seals, [])
  },
)

t.test('reasoning is where the script wants it', async t => {
  const think = { reasoning: 'so so', text: 'yes' }
  const { chunks, whole, post } = await given(t, [
    { ...think, reasoning_as: 'reasoning_details', signature: 'sig', redacted: 'data' },
    { ...think, reasoning_as: 'reasoning_details', signature: 'sig', redacted: 'data' },
    { ...think, reasoning_as: 'thinking' },
    { ...think, reasoning_as: 'thinking' },
    { ...think, reasoning_as: 'reasoning_text' },
  ])
  const detail = (fields: object) => ({ ...fields, format: 'anthropic-claude-v1', index: 0 })
  const details = (await chunks()).flatMap(({ choices: [choice] }) => choice?.delta.reasoning_details ?? [])
  const sealed = [
    detail({ type: 'reasoning.text', signature: 'sig' }),
    detail({ type: 'reasoning.encrypted', data: 'data' }),
  ]
  t.same(details, [
    detail({ type: 'reasoning.text', text: 'so ' }),
    detail({ type: 'reasoning.text', text: 'so' }),
    ...sealed,
  ])
  t.match((await whole()).choices[0]?.message, {
    reasoning: 'so so',
    content: 'yes',
    reasoning_details: [detail({ type: 'reasoning.text', text: 'so so' }), ...sealed],
  })
  const thinking = (text: string) => ({ type: 'thinking', thinking: [{ type: 'text', text }] })
  t.match(
    (await chunks()).map(({ choices: [choice] }) => choice?.delta.content),
    ['', [thinking('so ')], [thinking('so')], 'yes', undefined],
  )
  t.same((await whole()).choices[0]?.message.content, [thinking('so so'), { type: 'text', text: 'yes' }])
  const { output } = (await (await post(paths.responses, requests.responses)).json()) as {
    output: object[]
  }
  t.match(output[0], {
    type: 'reasoning',
    summary: [],
    content: [{ type: 'reasoning_text', text: 'so so' }],
  })
})

t.test('what a script adds to a call is sent with it, whole and in the first piece', async t => {
  const extra = { extra_content: { google: { thought_signature: 'SIG' } } }
  const tool_calls = [{ name: 'a', extra }, { name: 'b' }]
  const { chunks, whole } = await given(t, [{ tool_calls }, { tool_calls }])
  const pieces = (await chunks()).flatMap(
    ({ choices: [choice] }) =>
      (choice?.delta.tool_calls ?? []) as { index: number; extra_content?: object }[],
  )
  t.same(
    pieces.flatMap(piece => (piece.extra_content ? [piece.index] : [])),
    [0],
  )
  t.match((await whole()).choices[0]?.message.tool_calls, [extra, { extra_content: undefined }])
})

t.test('raw chunks are events of any protocol, named after their type', async t => {
  const { post } = await given(t, [{ chunks: [{ type: 'ping' }, '{"half'] }])
  const raw = await (await post(paths.messages, { ...requests.messages, stream: true })).text()
  t.equal(raw, 'event: ping\ndata: {"type":"ping"}\n\ndata: {"half\n\n')
})
