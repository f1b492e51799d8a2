import t from 'tap'
import { brief, read } from '../support/http.ts'
import { serveHere } from '../support/server.ts'

const { api } = await serveHere(t)
const post = (body: unknown) => read(api('POST', '/tasks', body))
const whole = { user_message_content: 'hello', stream: false, client_id: 'echo' }

const text = { type: 'text', text: 'hi' }
const call = { type: 'tool_call', call_id: 'c1', name: 'f', arguments: '{}' }
const result = { type: 'tool_result', call_id: 'c1', message_content: 'ok', block_list: [] }
const tool = { type: 'function', function: { name: 'f', parameters: { type: 'object' } } }

/** A good value of each field of the body, and bad ones with what must be said of them. */
const fields: Record<string, { good: unknown[]; bad: [unknown, string][] }> = {
  user_message_content: {
    good: [
      '',
      [],
      ['x', text],
      [{ type: 'file', file: { file_url: 'u', filename: 'n' } }],
      [{ type: 'file', file: { file_data: 'data:,x', filename: 'n' } }],
      [{ type: 'file', file: { file_url: null, file_data: 'data:,x', filename: 'n' } }],
      [
        {
          ...text,
          annotations: [
            { type: 'map_pin', at: [1, 2] },
            { type: 'file_path', file_id: 'f' },
          ],
        },
      ],
    ],
    bad: [
      [null, 'string_type'],
      [1, 'string_type'],
      [{}, 'string_type'],
      [[1], '0 string_type'],
      [[{ text: 'x' }], '0 type missing'],
      [[{ type: 'video' }], '0 type enum'],
      [[{ type: 'text' }], '0 text missing'],
      [[{ type: 'image', image_url: {} }], '0 image_url url missing'],
      [[{ ...text, id: 'x' }], '0 id int_type'],
      [[{ ...text, annotations: [{ type: 'file_path' }] }], '0 annotations 0 file_id missing'],
      [[{ ...text, annotations: [{ text: 'x' }] }], '0 annotations 0 type missing'],
      [[{ ...text, annotations: [{ type: 7 }] }], '0 annotations 0 type string_type'],
      [[{ type: 'file', file: { filename: 'n' } }], '0 file missing'],
      [[{ type: 'file', file: { file_url: 'u' } }], '0 file filename missing'],
    ],
  },
  stream: {
    good: [false],
    bad: [
      [null, 'bool_type'],
      ['true', 'bool_type'],
      [0, 'bool_type'],
    ],
  },
  structured_output: {
    good: [{ type: 'object' }, null],
    bad: [
      [[], 'dict_type'],
      ['x', 'dict_type'],
    ],
  },
  client_id: {
    good: ['x', 'ünï', null],
    bad: [
      [1, 'string_type'],
      ['', 'string_too_short'],
    ],
  },
  request_id: {
    good: ['x', 'ünï 😀', 'a'.repeat(256), null],
    bad: [
      [1, 'string_type'],
      ['', 'string_too_short'],
      ['a'.repeat(257), 'string_too_long'],
      ['a\nb', 'string_pattern_mismatch'],
      ['a\u0000', 'string_pattern_mismatch'],
      ['\ud800', 'string_pattern_mismatch'],
    ],
  },
  session_id: {
    good: ['s~1', 'a'.repeat(256), '..', null],
    bad: [
      [1, 'string_type'],
      ['', 'string_too_short'],
      ['a'.repeat(257), 'string_too_long'],
      ['ünï', 'string_pattern_mismatch'],
      ['a b', 'string_pattern_mismatch'],
    ],
  },
  task_id: {
    good: ['t~1', 'b'.repeat(256), null],
    bad: [
      [{}, 'string_type'],
      ['', 'string_too_short'],
      ['a'.repeat(257), 'string_too_long'],
      ['a\r\n', 'string_pattern_mismatch'],
    ],
  },
  user_id: {
    good: ['Zoë', null],
    bad: [
      [[], 'string_type'],
      ['', 'string_too_short'],
      ['\u007f', 'string_pattern_mismatch'],
    ],
  },
  agent_config: {
    good: [{}, null, { model: 'm', max_model_length: 1, compress_threshold_token_ratio: 0.5, extra: 1 }],
    bad: [
      ['x', 'dict_type'],
      [{ model: 1 }, 'model string_type'],
      [{ max_model_length: 0 }, 'max_model_length greater_than_equal'],
      [{ max_response_length: '9' }, 'max_response_length int_type'],
      [{ compress_threshold_token_ratio: 2 }, 'compress_threshold_token_ratio less_than_equal'],
      [{ inference_args: [] }, 'inference_args dict_type'],
      [{ allowed_tools: 'x' }, 'allowed_tools list_type'],
      [{ builtin_subagents: [1] }, 'builtin_subagents 0 string_type'],
    ],
  },
  allowed_tools: {
    good: [[], ['a'], null],
    bad: [
      ['x', 'list_type'],
      [[1], '0 string_type'],
    ],
  },
  disallowed_tools: {
    good: [[], ['a'], null],
    bad: [
      [{}, 'list_type'],
      [[null], '0 string_type'],
    ],
  },
  allowed_subagents: {
    good: [[], ['a'], null],
    bad: [
      [1, 'list_type'],
      [['a', 1], '1 string_type'],
    ],
  },
  stop_tools: {
    good: [[], ['a'], null],
    bad: [
      [true, 'list_type'],
      [[[]], '0 string_type'],
    ],
  },
  client_tools: {
    good: [[], [tool], null],
    bad: [
      ['x', 'list_type'],
      [[{ function: tool.function }], '0 type missing'],
      [[{ type: 'retrieval', function: tool.function }], '0 type literal_error'],
      [[{ type: 'function', function: { name: 'f' } }], '0 function parameters missing'],
      [[{ type: 'function', function: { ...tool.function, strict: 'no' } }], '0 function strict bool_type'],
    ],
  },
  history_messages: {
    good: [
      [],
      [
        { type: 'message', role: 'user', message_content: [text] },
        { type: 'reasoning', id: 'r', summary: [text] },
        call,
        { ...result, block_list: [{ type: 'chart', anything: [1] }] },
      ],
      null,
    ],
    bad: [
      [{}, 'list_type'],
      [['x'], '0 dict_type'],
      [[{}], '0 type missing'],
      [[{ type: 'mesage' }], '0 type enum'],
      [[{ type: 'message', role: 'user' }], '0 message_content missing'],
      [[{ type: 'message', role: 'tool', message_content: '' }], '0 role enum'],
      [[{ type: 'reasoning', summary: [] }], '0 id missing'],
      [[call, { ...call, arguments: {} }], '1 arguments string_type'],
      [[{ ...call, status: 'done' }], '0 status enum'],
      [[{ ...result, block_list: undefined }], '0 block_list missing'],
      [[{ ...result, block_list: [{}] }], '0 block_list 0 type missing'],
    ],
  },
  thought_messages: {
    good: [[], [{ type: 'message', role: 'assistant', message_content: 'hm' }], null],
    bad: [
      ['x', 'list_type'],
      [[{ type: 'tool_call', name: 'f', arguments: '' }], '0 call_id missing'],
    ],
  },
  inference_args: {
    good: [{ temperature: 0 }, null],
    bad: [
      ['x', 'dict_type'],
      [[], 'dict_type'],
    ],
  },
  workspace_dir: {
    good: ['a/b', null],
    bad: [
      [1, 'string_type'],
      ['', 'string_too_short'],
    ],
  },
  env: {
    good: [{ A: 'x', B: 1 }, {}, null],
    bad: [
      ['A=x', 'dict_type'],
      [[], 'dict_type'],
    ],
  },
  log_dir: {
    good: ['a', null],
    bad: [
      [{}, 'string_type'],
      ['a'.repeat(4097), 'string_too_long'],
    ],
  },
  rollout_save_dir: { good: ['a', null], bad: [[true, 'string_type']] },
  return_rollout: { good: [true, null], bad: [['yes', 'bool_type']] },
  include_compress_model_rollout: { good: [false, null], bad: [[1, 'bool_type']] },
  include_subagent_rollout: { good: [false, null], bad: [[{}, 'bool_type']] },
  background: { good: [true, false, null], bad: [['true', 'bool_type']] },
  on_disconnect: {
    good: ['continue', 'cancel', null],
    bad: [
      ['stop', 'enum'],
      [1, 'enum'],
    ],
  },
  metadata: {
    good: [{}, { a: [1] }, null],
    bad: [
      ['x', 'dict_type'],
      [[], 'dict_type'],
    ],
  },
}

for (const [field, { good, bad }] of Object.entries(fields)) {
  t.test(`${field} is checked`, async t => {
    for (const value of good) {
      const { status, text } = await post({ ...whole, [field]: value })
      t.equal(status, 200, `${JSON.stringify(value)?.slice(0, 60)} is accepted: ${text.slice(0, 300)}`)
    }
    for (const [value, problem] of bad) {
      const { status, body } = await post({ ...whole, [field]: value })
      const asked = JSON.stringify(value).slice(0, 60)
      t.equal(status, 422, asked)
      t.same(Object.keys(body), ['detail'])
      t.ok(brief(body.detail).includes(`body ${field} ${problem}`), `${asked}: ${brief(body.detail)}`)
      t.equal(body.detail.length, 1, 'and nothing else')
      for (const each of body.detail) t.same(Object.keys(each).sort(), ['loc', 'msg', 'type'])
    }
  })
}

t.test('what is missing is listed one by one', async t => {
  const { status, body } = await post({})
  t.equal(status, 422)
  t.same(brief(body.detail).sort(), ['body stream missing', 'body user_message_content missing'])
  t.match(body.detail[0]?.msg, 'Field required')
})

t.test('everything that is wrong is said at once', async t => {
  const { body } = await post({
    stream: 'no',
    session_id: '',
    history_messages: [{ type: 'message' }, { type: 'tool_call', call_id: 5 }],
    metadata: 1,
  })
  t.same(brief(body.detail).sort(), [
    'body history_messages 0 message_content missing',
    'body history_messages 0 role missing',
    'body history_messages 1 arguments missing',
    'body history_messages 1 call_id string_type',
    'body history_messages 1 name missing',
    'body metadata dict_type',
    'body session_id string_too_short',
    'body stream bool_type',
    'body user_message_content missing',
  ])
})

t.test('so is what a schema cannot say, of the fields that it takes', async t => {
  const { body } = await post({
    user_id: 5,
    metadata: { reason: 'x' },
    workspace_dir: '/etc',
    structured_output: { type: 'nonsense' },
    stream: false,
    client_id: 'script',
    agent_config: { script: [{}] },
  })
  t.same([...new Set(brief(body.detail))].sort(), [
    'body agent_config script 0 value_error',
    'body metadata reason value_error',
    'body structured_output value_error',
    'body user_id string_type',
    'body user_message_content missing',
    'body workspace_dir value_error',
  ])
  const { body: unsure } = await post({
    ...whole,
    client_id: 'script',
    agent_config: { script: 1 },
    stream: 1,
  })
  t.same(brief(unsure.detail).sort(), ['body agent_config script list_type', 'body stream bool_type'])
})

t.test('a body that is no object is refused in its own words; null is none', async t => {
  for (const body of ['null', '[]', '"x"', '1', 'true']) {
    const { status, body: answer } = await post(body)
    t.equal(status, 422, body)
    t.same(brief(answer.detail), [body === 'null' ? 'body missing' : 'body dict_type'])
  }
})

t.test('a body that is not there is refused', async t => {
  const { status, body } = await read(api('POST', '/tasks', '', { 'content-type': 'application/json' }))
  t.equal(status, 422)
  t.match(body.detail, [{ loc: ['body'] }])
})

/** An object as a typed client dumps it, every optional field that is not there as null. */
const dumped = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(dumped)
  if (typeof value !== 'object' || value === null) return value
  const optional: Record<string, string[]> = {
    message: ['id', 'status', 'name', 'block_list'],
    reasoning: ['content', 'status'],
    tool_call: ['id', 'status', 'language'],
    tool_result: ['id', 'status'],
    function: [],
  }
  const given = value as Record<string, unknown>
  const names = optional[String(given.type)] ?? ['id', 'tags', 'annotations', 'logprobs']
  const nulls = 'type' in given ? Object.fromEntries(names.map(name => [name, null])) : {}
  const fields = Object.entries(given).map(([name, each]) => [name, dumped(each)])
  return { ...nulls, ...Object.fromEntries(fields) }
}

t.test("a task's own output, dumped with nulls and sent back as history, is accepted", async t => {
  const script = [
    { reasoning: 'hm' },
    { message: 'let me see' },
    { tool: 'calculator', arguments: { expression: '6*7' } },
  ]
  const first = await post({ ...whole, client_id: 'script', agent_config: { script } })
  const { output } = first.body.result
  t.same(
    output.map(({ type }) => type),
    ['reasoning', 'message', 'tool_call', 'tool_result'],
  )
  const history_messages = dumped(output) as Record<string, unknown>[]
  t.equal(history_messages[1]?.name, null)
  const { status, text, body } = await post({
    ...whole,
    user_message_content: [{ ...(dumped({ type: 'text', text: 'hello' }) as object) }],
    history_messages,
    client_tools: [
      { type: 'function', function: { name: 'f', parameters: { a: null }, description: null, strict: null } },
    ],
    agent_config: { script: [{ message: 'hi', tool: null, delta_ms: null }] },
    metadata: { kept: null },
  })
  t.equal(status, 200, text)
  t.same(body.result.metadata, { kept: null, agent: 'echo' }, 'where anything may stand, null is a value')
})

t.test('so is an answer to its call', async t => {
  const client_tools = [tool]
  const script = [{ tool: 'f' }, { message: '$result' }]
  const waiting = await post({ ...whole, client_id: 'script', client_tools, agent_config: { script } })
  const { id, output } = waiting.body.result
  const { call_id } = output[0] as { call_id?: string }
  const message_content = [dumped({ type: 'text', text: 'sure' })]
  const tool_results = [{ call_id, message_content, block_list: null, status: null }]
  const { status, text } = await read(api('POST', `/tasks/${id}/input`, { tool_results }))
  t.equal(status, 200, text)
})

t.test('null does not stand for a field that is required, nor for an item of a list', async t => {
  const { status, body } = await post({
    ...whole,
    user_message_content: [null],
    history_messages: [{ type: 'message', role: null, message_content: 'x', name: null }],
  })
  t.equal(status, 422)
  t.same(brief(body.detail).sort(), [
    'body history_messages 0 role enum',
    'body user_message_content 0 string_type',
  ])
})

t.test('a million wrong items are not a million problems in the answer', async t => {
  const history = `[${Array.from({ length: 200_000 }, () => '{}').join(',')}]`
  const { status, text } = await post(
    `{"user_message_content":"","stream":false,"history_messages":${history}}`,
  )
  t.equal(status, 422)
  t.ok(text.length < 1_000_000)
})

t.test('env, metadata and tool_mcp_config may have a mebi of characters each, and not one more', async t => {
  const sized = (length: number) => ({ ab: 'x'.repeat(length - 4), cd: ['', 5] })
  for (const [name, place] of [
    ['env', 'env'],
    ['metadata', 'metadata'],
  ] as const) {
    const { status } = await post({ ...whole, [name]: sized(1024 * 1024) })
    t.equal(status, 200, name)
    const { body } = await post({ ...whole, [name]: sized(1024 * 1024 + 1) })
    t.match(body, { detail: [{ loc: ['body', place], type: 'too_long' }] })
  }
  const servers = { mine: { url: 'https://example.com/', headers: { 'X-Key': 'x'.repeat(1024 * 1024) } } }
  const { body } = await post({ ...whole, agent_config: { tool_mcp_config: servers } })
  t.match(body, { detail: [{ loc: ['body', 'agent_config', 'tool_mcp_config'], type: 'too_long' }] })
})
