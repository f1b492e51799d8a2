// The kind: a conversation that is too long for the model fails the task. Its older part gives way to a summary, once,
// whatever the words in which the endpoint refuses it.
import t from 'tap'
import { replayTasks, sse } from '../../agents/streams/replay.ts'
import { delta } from '../../support/fake-model.ts'
import { plays, stream } from './outcome.ts'

/** Refusals in the words of vendors. */
const refusals: Record<string, [status: number, body: string]> = {
  OpenAI: [
    400,
    `{"error":{"message":"This model's maximum context length is 4097 tokens. However, your messages resulted in 5000 tokens.","code":"context_length_exceeded"}}`,
  ],
  'OpenAI, newer': [
    400,
    '{"error":{"message":"Your input exceeds the context window of this model.","code":"context_length_exceeded"}}',
  ],
  Anthropic: [
    400,
    '{"error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000 maximum"}}',
  ],
  vLLM: [
    400,
    `{"object":"error","message":"This model's maximum context length is 8192 tokens. However, you requested 9000 tokens","code":400}`,
  ],
  'vLLM, newer': [
    400,
    '{"error":{"message":"The decoder prompt (length 9000) is longer than the maximum model length of 8192."}}',
  ],
  'llama.cpp': [
    400,
    '{"error":{"code":400,"message":"the request exceeds the available context size, try increasing it","type":"exceed_context_size_error"}}',
  ],
  Mistral: [
    400,
    '{"message":"Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length"}',
  ],
  Gemini: [
    400,
    '[{"error":{"code":400,"message":"The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).","status":"INVALID_ARGUMENT"}}]',
  ],
  OpenRouter: [
    400,
    `{"error":{"message":"This endpoint's maximum context length is 8192 tokens. However, you requested about 9000 tokens"}}`,
  ],
  Groq: [
    413,
    '{"error":{"message":"Please reduce the length of the messages or completion.","code":"context_length_exceeded"}}',
  ],
  Bedrock: [400, '{"message":"Input is too long for requested model."}'],
  SGLang: [
    400,
    `{"object":"error","message":"The input (9000 tokens) is longer than the model's context length (8192 tokens)."}`,
  ],
  Together: [
    422,
    '{"error":{"message":"Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8193. Given: 9000 `inputs` tokens"}}',
  ],
  'the endpoint behind a router': [
    400,
    '{"error":{"message":"Provider returned error","metadata":{"raw":"{\\"error\\":{\\"message\\":\\"prompt is too long: 5 tokens > 4 maximum\\"}}"}}}',
  ],
}
const long = JSON.stringify({
  error: { message: 'the request exceeds the available context size', code: 400 },
})
/** The same refusals where an answer should be. */
const inAnswers: typeof refusals = {
  'in a stream': [200, `data: ${long}\n\n`],
  'in words in a stream': [200, 'data: the request exceeds the available context size\n\n'],
  'in place of a stream': [200, long],
}
const message = (role: string, message_content: string) => ({ type: 'message', role, message_content })
const history_messages = ['a', 'b', 'c', 'd'].map((name, n) =>
  message(n % 2 === 0 ? 'user' : 'assistant', `${name} ${'word '.repeat(100)}`),
)
const says = (content: string) => ({ body: [sse(delta({ content }, 'stop'), '[DONE]')] })
const isSummary = (messages: { content: unknown }[]) =>
  /record of a conversation/.test(String(messages[0]?.content))

t.test('a summary, once', async t => {
  let [status, body] = [400, '']
  let isShort = true
  const { ask, asked } = await replayTasks(t, (_, nth) => {
    const { messages = [] } = asked[nth] ?? {}
    if (isSummary(messages)) return says('a summary')
    const isLong = messages.length > 3 || !isShort
    return isLong ? { status, body: [body], headers: { 'content-type': 'application/json' } } : says('done')
  })
  for (const [name, refusal] of Object.entries({ ...refusals, ...inAnswers })) {
    ;[status, body] = refusal
    isShort = true
    const before = asked.length
    const task = await ask({ history_messages })
    t.equal(task.status, 'completed', `${name}: ${JSON.stringify(task.error)}`)
    t.same(
      [before + 3, isSummary(asked[before + 1]?.messages ?? [])],
      [asked.length, true],
      `${name}: asked, summed up, asked`,
    )
    isShort = false
    const again = await ask({ history_messages })
    t.match(
      again,
      { status: 'failed', error: { message: /too long for this model: begin a new session/ } },
      name,
    )
    t.equal(asked.length, before + 6, `${name}: summed up once`)
  }
})

t.test('other refusals are no reason for a summary', async t => {
  const others = [
    [
      400,
      '{"error":{"message":"max_tokens is too large: 100000. This model supports at most 4096 completion tokens"}}',
    ],
    [400, '{"error":{"message":"tool name is too long"}}'],
    [429, '{"error":{"message":"Rate limit: too many tokens per minute"}}'],
    [401, '{"error":{"message":"context"}}'],
    [400, '{"error":{"message":"image is too large"}}'],
  ] as const
  for (const [status, body] of others) {
    const { ask, asked } = await replayTasks(t, () => ({
      status,
      body: [body],
      headers: { 'content-type': 'application/json', 'retry-after': '0' },
    }))
    const task = await ask({ history_messages })
    t.equal(task.status, 'failed')
    t.notOk(
      asked.some(({ messages }) => isSummary(messages)),
      body,
    )
    t.notMatch(task.error?.message, /begin a new session/, body)
  }
})

t.test('text that came before the refusal does not stay', t =>
  plays(t, {
    'a stream that breaks off': [
      stream(sse(delta({ content: 'half' })), `data: ${long}\n\n`),
      { end: 'again', text: 'half' },
    ],
  }),
)
