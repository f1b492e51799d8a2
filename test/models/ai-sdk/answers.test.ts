// What the agent makes of the parts that a provider of the AI SDK streams.
import t, { type Test } from 'tap'
import { digestOf } from '../../agents/model-tasks.ts'
import { type Outcome, outcomeOf } from '../kinds/outcome.ts'
import { finish, opened, type Played, parts, serveParts, stepOf, text, usage } from './support.ts'

const delta = (id: string, said: string) => parts({ type: 'tool-input-delta', id, delta: said })
const start = (id: string, toolName: string) => parts({ type: 'tool-input-start', id, toolName })
const whole = (toolCallId: string, toolName: string, input: string) =>
  parts({ type: 'tool-call', toolCallId, toolName, input })
const thought = (said: string, id = 'r') =>
  parts(
    { type: 'reasoning-start', id },
    { type: 'reasoning-delta', id, delta: said },
    { type: 'reasoning-end', id },
  )

const stream = (...body: string[]): Played => ({ body })
const breaks = (...body: string[]): Played => ({
  body: (async function* () {
    yield* body
    await new Promise(resolve => setTimeout(resolve, 20)) // what was sent has left before the end
    throw new Error('the connection breaks')
  })(),
})
const stays = (...body: string[]): Played => ({
  body: (async function* () {
    yield* body
    for (;;) {
      await new Promise(resolve => setTimeout(resolve, 50))
      yield parts({ type: 'ping' })
    }
  })(),
})

const plays = async (t: Test, table: Record<string, [Played, Outcome]>, silenceMs?: number) => {
  const cases = Object.entries(table)
  let at = 0
  const { env } = await serveParts(t, () => cases[at]?.[1][0] ?? { body: [] })
  const agent = await opened(env, silenceMs)
  for (const [n, [name, [, expected]]] of cases.entries()) {
    at = n
    const { said, end } = await stepOf(agent)
    t.same(outcomeOf(said, end), expected, name)
  }
}

const look = { end: 'continue', calls: ['look {"at":1}'] }
t.test('texts and ends', t =>
  plays(t, {
    'a text': [stream(text('hello'), finish('stop', 'stop')), { end: 'answer', text: 'hello' }],
    'a text without an end': [stream(text('hello')), { end: 'answer', text: 'hello' }],
    'nothing at all': [stream(), { end: 'again' }],
    'an end that the package made up': [stream(finish('other')), { end: 'again' }],
    'a text that was cut': [
      stream(text('hell'), finish('length', 'max_tokens')),
      { end: 'answer', text: 'hell', cut: 'length' },
    ],
    'an end in a word that only the package knows': [
      stream(text('no'), finish('content-filter', 'NO_WAY')),
      { end: 'answer', text: 'no', cut: 'content_filter' },
    ],
    'an end in a word that nobody knows': [
      stream(text('hello'), finish('other', 'tired')),
      { end: 'answer', text: 'hello' },
    ],
    'an interrupted answer': [
      stream(text('hel'), finish('interrupted')),
      { end: 'answer', text: 'hel', cut: 'abort' },
    ],
    'thoughts and a text': [
      stream(thought('hm'), text('hello'), finish('stop')),
      { end: 'answer', text: 'hello', thought: 'hm' },
    ],
    'a connection that breaks': [breaks(text('hel')), { end: 'again', text: 'hel' }],
    'a connection that breaks after the end': [
      breaks(text('hello'), finish('stop')),
      { end: 'answer', text: 'hello' },
    ],
    'an error in the stream': [
      stream(text('hel'), parts({ type: 'error', error: { message: 'overloaded' } })),
      { end: 'again', text: 'hel' },
    ],
    'a part that is no JSON': [stream(text('hel'), '{"x\n'), { end: 'again', text: 'hel' }],
  }),
)

t.test('calls', t =>
  plays(t, {
    'in pieces': [
      stream(
        start('a', 'look'),
        delta('a', '{"at"'),
        delta('a', ':1}'),
        whole('a', 'look', '{"at":1}'),
        finish('tool-calls'),
      ),
      look,
    ],
    'whole, without pieces': [stream(whole('a', 'look', '{"at":1}'), finish('tool-calls')), look],
    'whole, after an empty piece': [
      stream(start('a', 'look'), delta('a', ''), whole('a', 'look', '{"at":1}'), finish('stop')),
      look,
    ],
    'of which the end comes whole': [
      stream(start('a', 'look'), delta('a', '{"at"'), whole('a', 'look', '{"at":1}'), finish('stop')),
      look,
    ],
    'two at once, whose pieces come in turn': [
      stream(
        start('a', 'look'),
        start('b', 'ask'),
        delta('a', '{"at"'),
        delta('b', '{}'),
        delta('a', ':1}'),
        finish('tool-calls'),
      ),
      { end: 'continue', calls: ['look {"at":1}', 'ask {}'] },
    ],
    'without arguments': [
      stream(whole('a', 'look', ''), finish('tool-calls')),
      { end: 'continue', calls: ['look {}'] },
    ],
    'with an object as arguments': [
      stream(
        parts({ type: 'tool-call', toolCallId: 'a', toolName: 'look', input: { at: 1 } }),
        finish('tool-calls'),
      ),
      look,
    ],
    'with arguments that do not parse': [
      stream(whole('a', 'look', '{"at":'), finish('tool-calls')),
      { end: 'continue', calls: ['look {"at":'] },
    ],
    'that were cut': [
      stream(start('a', 'look'), delta('a', '{"at":'), finish('length')),
      { end: 'correct', cut: 'length' },
    ],
    'that break off': [breaks(start('a', 'look'), delta('a', '{"at":1}')), { end: 'again' }],
    'that the provider runs itself': [
      stream(
        parts({ type: 'tool-input-start', id: 's', toolName: 'search', providerExecuted: true }),
        delta('s', '{}'),
        parts({
          type: 'tool-call',
          toolCallId: 's',
          toolName: 'search',
          input: '{}',
          providerExecuted: true,
        }),
        text('found'),
        finish('stop'),
      ),
      { end: 'answer', text: 'found' },
    ],
  }),
)

t.test('connections that stay open', t =>
  plays(
    t,
    {
      'after the end': [stays(text('hello'), finish('stop')), { end: 'answer', text: 'hello' }],
      'after a text': [stays(text('hello')), { end: 'again', text: 'hello' }],
    },
    700,
  ),
)

t.test('blocks of one kind stay apart', async t => {
  const { env } = await serveParts(t, () =>
    stream(text('one', '1'), text('two', '2'), text('three', '2'), finish('stop')),
  )
  const { said } = await stepOf(await opened(env))
  t.match(
    said.filter(({ say }) => say === 'delta'),
    [{ text: 'one' }, { text: 'two', opens: true }, { text: 'three', opens: true }],
  )
})

t.test('what is known of an answer is told', async t => {
  const about = parts({ type: 'response-metadata', id: 'resp_1', modelId: 'any-2', timestamp: 'now' })
  const { env, asked } = await serveParts(t, () =>
    stream(about, text('hello'), start('a', 'look'), delta('a', '{}'), finish('tool-calls', 'tool_calls')),
  )
  const { end } = await stepOf(await opened(env))
  const body = asked[0]?.raw ?? ''
  t.match(end, {
    usage: { input_tokens: 9, output_tokens: 3, total_tokens: 12, cached_tokens: 5, reasoning_tokens: 1 },
    call: {
      request: {
        model: 'any',
        protocol: 'ai-sdk',
        dialect: 'ai-sdk:parts-provider.ts',
        sent_digest: digestOf(body),
      },
      response: { id: 'resp_1', model: 'any-2', finish_reason: 'tool_calls', call_ids: ['a'] },
    },
  })
  const received =
    about + text('hello') + start('a', 'look') + delta('a', '{}') + finish('tool-calls', 'tool_calls')
  t.match(end, { call: { response: { received_digest: digestOf(received) } } })
})

t.test('an answer that is not streamed', async t => {
  const content = [
    { type: 'reasoning', text: 'hm', providerMetadata: { parts: { signature: 's1' } } },
    { type: 'text', text: 'I look.' },
    { type: 'tool-call', toolCallId: 'a', toolName: 'look', input: '{"at":1}' },
  ]
  const { env } = await serveParts(t, () =>
    stream(JSON.stringify({ content, finishReason: { unified: 'tool-calls' }, usage, warnings: [] })),
  )
  const { said, end } = await stepOf(await opened({ ...env, MODEL_SWITCHES: 'stream=off' }))
  t.same(outcomeOf(said, end), { ...look, text: 'I look.', thought: 'hm' })
  t.match(end, { call: { request: { switches: { stream: 'off' } } }, usage: { input_tokens: 9 } })
})

t.test('refusals and failures', async t => {
  const failing = async (...answers: Played[]) => {
    const { env, asked } = await serveParts(t, nth => answers[nth] ?? stream(text('well'), finish('stop')))
    return { ...(await stepOf(await opened(env))), asked }
  }
  const error = (status: number, message: string, headers = {}): Played => ({
    status,
    headers: { 'content-type': 'application/json', ...headers },
    body: [JSON.stringify({ error: { message } })],
  })
  const refused = await failing(error(401, `the key ${'sk-parts-secret'} is wrong`))
  t.match(refused.end, {
    end: 'fail',
    error: { message: "the model's endpoint answered 401: the key *** is wrong" },
  })
  t.equal(refused.asked.length, 1)

  const busy = await failing(
    error(429, 'slow down', { 'retry-after': '0' }),
    error(503, 'busy', { 'retry-after': '0' }),
  )
  t.match(busy.end, { end: 'answer' }, 'it asks again when the endpoint is busy')
  t.equal(busy.asked.length, 3)

  const moved = await failing({ status: 307, headers: { location: 'http://127.0.0.1:1/' }, body: [] })
  t.match(moved.end, { error: { message: /answered 307: a redirect, which is not followed/ } })

  const long = await failing(error(400, 'the prompt is too long: 9000 tokens > 8000 maximum'))
  t.match(long.end, { error: { message: /begin a new session/ } })
})

t.test('an abort closes the connection', async t => {
  const gone = new AbortController()
  const { env, asked } = await serveParts(t, () => stays(text('hello')))
  const agent = await opened(env)
  const step = stepOf(agent, { signal: gone.signal })
  while (asked.length === 0) await new Promise(resolve => setTimeout(resolve, 5))
  gone.abort()
  t.match(await step, { end: { end: 'again' } })
  await asked[0]?.closed
})

t.test('warnings of the package are reported once', async t => {
  const warned = parts({ type: 'stream-start', warnings: [{ type: 'unsupported', feature: 'topK' }] })
  const { env } = await serveParts(t, () => stream(warned, text('hello'), finish('stop')))
  const agent = await opened(env)
  for (let n = 0; n < 3; n++) await stepOf(agent)
  t.match(agent.lines, [
    { fields: { provider: 'parts-provider.ts', warning: { type: 'unsupported', feature: 'topK' } } },
  ])
  t.equal(agent.lines.length, 1)
})
