import t from 'tap'
import Type, { type TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { AgUiMessage } from '../../src/contract/ag-ui/input.ts'
import { Invalid, type Problem } from '../../src/contract/refusals.ts'
import {
  AgentConfig,
  CreateTaskBody,
  CreateTokenBody,
  MessageContent,
  OutputItem,
} from '../../src/contract/wire.ts'
import { maxProblems } from '../../src/http/request/problems.ts'
import { bodyValidator } from '../../src/http/request/validate.ts'
import { explain } from '../../src/http/validate/explain.ts'
import fc from '../support/fast-check.ts'

const brief = (problems: Problem[]) => problems.map(({ loc, type }) => [...loc, type].join(' '))
const wrong = (schema: TSchema, value: unknown) => brief(explain(schema, value, ['body']))

function thrown(act: () => unknown): Problem[] {
  try {
    act()
  } catch (error) {
    if (error instanceof Invalid) return error.problems
    throw error
  }
  return []
}

const text = { type: 'text', text: 'hi' }
const block = { type: 'chart', data: [1] }
const reasoning = { type: 'reasoning', id: 'rs_1', summary: [text], content: [text], status: 'completed' }
const message = {
  type: 'message',
  role: 'user',
  message_content: ['hi', text],
  block_list: [block],
  name: 'n',
}
const toolCall = { type: 'tool_call', call_id: 'c1', name: 'f', arguments: '{}', language: 'json' }
const toolResult = { type: 'tool_result', call_id: 'c1', message_content: 'ok', block_list: [] }
const body = {
  user_message_content: [
    'plain',
    { ...text, id: 1, tags: ['a'], annotations: [{ type: 'file_path', file_id: 'f', index: 0 }] },
    {
      ...text,
      logprobs: [{ token: 'a', logprob: -0.5, bytes: [1], top_logprobs: [{ token: 'b', logprob: -1 }] }],
    },
    { ...text, annotations: [{ type: 'file_citation', file_id: 'f', index: 1, filename: 'n' }] },
    { type: 'image_url', image_url: { url: 'u', detail: 'low' } },
    { type: 'input_audio', input_audio: { data: 'd', format: 'wav' } },
    { type: 'file', file: { file_url: 'u', filename: 'n' } },
  ],
  stream: false,
  structured_output: { type: 'object' },
  client_id: 'clïent',
  session_id: 'sess_1',
  task_id: null,
  agent_config: {
    model: 'm',
    max_model_length: 10,
    compress_threshold_token_ratio: 0.5,
    allowed_tools: null,
    script: [
      { message: 'a', delta_ms: 5 },
      { fail: { code: 1, message: 'm' } },
      { usage: { input_tokens: 1 } },
    ],
  },
  allowed_tools: ['a'],
  client_tools: [{ type: 'function', function: { name: 'f', parameters: {}, strict: false } }],
  history_messages: [reasoning, message, toolCall, toolResult],
  env: { A: '1' },
  return_rollout: true,
  on_disconnect: 'cancel',
  metadata: { anything: [1, { a: null }] },
}

t.test('gives a right body back as the same object', async t => {
  const read = bodyValidator(CreateTaskBody)
  t.equal(read(body), body)
  const least = { user_message_content: 'hi', stream: true, unknown_field: 1 }
  t.equal(read(least), least, 'unknown fields pass')
})

t.test('throws every problem of a body at once', async t => {
  const read = bodyValidator(CreateTaskBody)
  const value = {
    session_id: 'has space',
    user_id: 5,
    agent_config: { max_model_length: 0, script: [{ delta_ms: 1.5 }, 7] },
    client_tools: [{ type: 'function', function: {} }],
    history_messages: [{ type: 'tool_call', call_id: '' }, 'x'],
    return_rollout: 1,
    on_disconnect: 'maybe',
  }
  t.same(brief(thrown(() => read(value))), [
    'body user_message_content missing',
    'body stream missing',
    'body session_id string_pattern_mismatch',
    'body user_id string_type',
    'body agent_config max_model_length greater_than_equal',
    'body agent_config script 0 delta_ms int_from_float',
    'body agent_config script 1 dict_type',
    'body client_tools 0 function name missing',
    'body client_tools 0 function parameters missing',
    'body history_messages 0 name missing',
    'body history_messages 0 arguments missing',
    'body history_messages 0 call_id string_too_short',
    'body history_messages 1 dict_type',
    'body return_rollout bool_type',
    'body on_disconnect enum',
  ])
})

t.test('says that a body is missing', async t => {
  t.same(
    thrown(() => bodyValidator(CreateTaskBody)(undefined)),
    [{ loc: ['body'], type: 'missing', msg: 'Field required' }],
  )
})

t.test('says what a body that is no object should be', async t => {
  for (const value of [null, [], 'x', 1, true]) t.same(wrong(CreateTaskBody, value), ['body dict_type'])
})

t.test('speaks as pydantic does', async t => {
  const said = (schema: TSchema, value: unknown) =>
    explain(schema, value, []).map(({ type, msg }) => `${type}: ${msg}`)
  const cases: [TSchema, unknown, string][] = [
    [Type.String(), 1, 'string_type: Input should be a valid string'],
    [Type.Integer(), '5', 'int_type: Input should be a valid integer'],
    [
      Type.Integer(),
      1.5,
      'int_from_float: Input should be a valid integer, got a number with a fractional part',
    ],
    [Type.Integer(), Number.POSITIVE_INFINITY, 'finite_number: Input should be a finite number'],
    [Type.Number(), '5', 'float_type: Input should be a valid number'],
    [Type.Number(), Number.NaN, 'finite_number: Input should be a finite number'],
    [Type.Boolean(), 'true', 'bool_type: Input should be a valid boolean'],
    [Type.Boolean(), 1, 'bool_type: Input should be a valid boolean'],
    [Type.Array(Type.String()), {}, 'list_type: Input should be a valid list'],
    [Type.Object({}), [], 'dict_type: Input should be a valid dictionary'],
    [Type.Null(), 0, 'none_required: Input should be None'],
    [Type.Enum(['a', 'b', 'c']), 'd', "enum: Input should be 'a', 'b' or 'c'"],
    [Type.Literal('a'), 1, "literal_error: Input should be 'a'"],
    [Type.String({ minLength: 1 }), '', 'string_too_short: String should have at least 1 character'],
    [Type.String({ maxLength: 2 }), 'abc', 'string_too_long: String should have at most 2 characters'],
    [Type.String({ pattern: '^a$' }), 'b', "string_pattern_mismatch: String should match pattern '^a$'"],
    [Type.Number({ minimum: 1 }), 0, 'greater_than_equal: Input should be greater than or equal to 1'],
    [Type.Number({ maximum: 1 }), 2, 'less_than_equal: Input should be less than or equal to 1'],
    [
      Type.Array(Type.Null(), { maxItems: 1 }),
      [null, null],
      'too_long: List should have at most 1 item after validation, not 2',
    ],
    [Type.Object({ a: Type.Null() }), {}, 'missing: Field required'],
  ]
  for (const [schema, value, expected] of cases) t.same(said(schema, value), [expected])
})

t.test('explains a nullable union by its other branch', async t => {
  const short = Type.Union([Type.String({ maxLength: 1 }), Type.Null()])
  t.same(wrong(short, null), [])
  t.same(wrong(short, 'ab'), ['body string_too_long'])
  t.same(wrong(short, 1), ['body string_type'])
  t.same(wrong(AgentConfig, { model: 1, name: null }), ['body model string_type'])
  t.same(wrong(Type.Union([Type.Enum(['a']), Type.Null()]), 1), ['body enum'])
})

t.test('gives one problem for a value whose kind no branch takes', async t => {
  t.same(explain(MessageContent, 5, ['body']), [
    { loc: ['body'], type: 'string_type', msg: 'Input should be a valid string or list' },
  ])
  t.same(wrong(MessageContent, [5, null, []]), [
    'body 0 string_type',
    'body 1 string_type',
    'body 2 string_type',
  ])
})

t.test('explains an object of a union of messages by its role', async t => {
  t.same(wrong(AgUiMessage, {}), ['body role missing'])
  t.same(wrong(AgUiMessage, { role: 'tool', id: 'x', content: 'x' }), ['body toolCallId missing'])
  const [problem] = explain(AgUiMessage, { id: 'x', role: 'zz' }, ['body'])
  t.same(problem, {
    loc: ['body', 'role'],
    type: 'enum',
    msg: "Input should be 'developer', 'system', 'user', 'assistant', 'tool', 'reasoning' or 'activity'",
  })
})

t.test('explains an object of a union by its type', async t => {
  t.same(wrong(OutputItem, {}), ['body type missing'])
  t.same(wrong(OutputItem, { role: 'user' }), ['body type missing'])
  t.same(wrong(OutputItem, { type: 'message' }), ['body role missing', 'body message_content missing'])
  t.same(wrong(OutputItem, { type: null }), ['body type enum'])
  t.same(explain(OutputItem, { type: 'unheard' }, ['body']), [
    {
      loc: ['body', 'type'],
      type: 'enum',
      msg: "Input should be 'reasoning', 'message', 'tool_call' or 'tool_result'",
    },
  ])
  t.same(wrong(MessageContent, [{ type: 'image' }, { type: 'audio', input_audio: { data: 1 } }]), [
    'body 0 image_url missing',
    'body 1 input_audio format missing',
    'body 1 input_audio data string_type',
  ])
})

t.test('takes a value that fits any of the branches that nothing tells apart', async t => {
  const either = Type.Union([Type.Object({ a: Type.String() }), Type.Object({ b: Type.String() })])
  t.same(wrong(either, { b: 'x' }), [])
  t.same(wrong(either, {}), ['body missing'], 'one of the two')
})

t.test('checks the values of a record', async t => {
  const counts = Type.Record(Type.String(), Type.Integer())
  t.same(wrong(counts, { a: 1, b: 'x', c: 1.5 }), ['body b int_type', 'body c int_from_float'])
})

t.test('counts code points, as the compiled check does', async t => {
  for (const unit of ['a', '😀', '\ud83d', '\ude00', 'é', '👨‍👩‍👧']) {
    for (let count = 0; count <= 8; count++) {
      for (const schema of [Type.String({ minLength: 3 }), Type.String({ maxLength: 4 })]) {
        const value = unit.repeat(count)
        t.equal(
          wrong(schema, value).length === 0,
          Compile(schema).Check(value),
          JSON.stringify([unit, count]),
        )
      }
    }
  }
  t.same(wrong(CreateTokenBody, { role: 'user', user_id: '😀'.repeat(256) }), [])
  t.same(wrong(CreateTokenBody, { role: 'user', user_id: '😀'.repeat(257) }), [
    'body user_id string_too_long',
  ])
})

t.test('matches patterns by code points, as the compiled check does', async t => {
  const one = Type.String({ pattern: '^.$' })
  t.same(wrong(one, '😀'), [])
  t.ok(Compile(one).Check('😀'))
})

t.test('refuses ids with control characters or broken Unicode', async t => {
  for (const user_id of ['a\u0000', 'a\n', '\u0085', '\ud800', '\udc00\ud800']) {
    t.same(wrong(CreateTokenBody, { role: 'user', user_id }), ['body user_id string_pattern_mismatch'])
  }
})

t.test('is not confused by the names that every object inherits', async t => {
  const names = ['constructor', 'toString', 'hasOwnProperty', 'valueOf']
  const value = { ...body, ...Object.fromEntries(names.map(name => [name, 1])) }
  t.equal(bodyValidator(CreateTaskBody)(value), value)
  for (const type of names) t.same(wrong(OutputItem, { type }), ['body type enum'])
  const inherits: unknown = Object.create({ type: 'message', role: 'user', message_content: 'x' })
  t.same(wrong(OutputItem, inherits), ['body type missing'])
  const inheritsRole: unknown = Object.assign(Object.create({ role: 'user' }), {
    type: 'message',
    message_content: '',
  })
  t.same(wrong(OutputItem, inheritsRole), ['body role missing'])
  const bare: unknown = Object.assign(Object.create(null), { user_message_content: 'x', stream: true })
  t.equal(bodyValidator(CreateTaskBody)(bare), bare)
})

t.test('lists a bounded number of problems', async t => {
  const value = { role: 'user', stream: true, user_message_content: Array.from({ length: 100_000 }, () => 1) }
  t.equal(wrong(CreateTaskBody, value).length, maxProblems)
})

const awkward = fc.constantFrom<unknown>(
  ...[
    null,
    true,
    0,
    -1,
    1.5,
    Number.POSITIVE_INFINITY,
    '',
    'x',
    'a b',
    '\u0000',
    '\ud800',
    '😀'.repeat(256),
    'x'.repeat(257),
  ],
  ...['message', 'text', 'cancel', 'reasoning', 'file_path', '__proto__', [], {}, [1], ['a'], [[]]],
  ...[
    text,
    reasoning,
    message,
    toolCall,
    toolResult,
    { type: 'text' },
    { type: 1 },
    { type: 'nothing' },
    undefined,
  ],
)
const anyValue = fc.oneof(awkward, fc.jsonValue({ maxDepth: 3 }))
const mutation = fc.record({
  steps: fc.array(fc.nat(), { minLength: 1, maxLength: 8 }),
  remove: fc.boolean(),
  value: anyValue,
})

// Walks down by the steps, as far as there are containers, and changes what it arrives at.
function mutate(value: unknown, [step = 0, ...rest]: number[], remove: boolean, put: unknown): unknown {
  if (typeof value !== 'object' || value === null || Object.keys(value).length === 0) return put
  const keys = Object.keys(value)
  const key = keys[step % keys.length] ?? ''
  const copy = structuredClone(value) as Record<string, unknown>
  if (rest.length > 0) copy[key] = mutate(copy[key], rest, remove, put)
  else if (!remove) copy[key] = put
  else if (Array.isArray(copy)) copy.splice(Number(key), 1)
  else delete copy[key]
  return copy
}

t.test('explains a value if and only if the compiled check says no', async t => {
  const pairs = [CreateTaskBody, OutputItem, AgentConfig, MessageContent, CreateTokenBody].map(
    schema => [schema, Compile(schema as TSchema)] as const,
  )
  const agree = (value: unknown) =>
    pairs.every(([schema, compiled]) => compiled.Check(value) === (wrong(schema, value).length === 0))
  t.same(wrong(CreateTaskBody, body), [], 'the body to mutate is valid')
  fc.assert(fc.property(anyValue, agree), { numRuns: 1000 })
  let refused = 0
  const mutated = fc.array(mutation, { minLength: 1, maxLength: 3 }).map(mutations => {
    let value: unknown = body
    for (const { steps, remove, value: put } of mutations) value = mutate(value, steps, remove, put)
    return value
  })
  fc.assert(
    fc.property(mutated, value => {
      if (wrong(CreateTaskBody, value).length > 0) refused++
      return agree(value)
    }),
    { numRuns: 3000 },
  )
  t.ok(refused > 300 && refused < 2900, `mutations break some bodies and not all (${refused} of 3000)`)
  const item = fc.tuple(fc.constantFrom(reasoning, message, toolCall, toolResult), mutation)
  const mutatedItem = item.map(([value, { steps, remove, value: put }]) => mutate(value, steps, remove, put))
  fc.assert(fc.property(mutatedItem, agree), { numRuns: 2000 })
})
