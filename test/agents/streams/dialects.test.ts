// How endpoints differ: recorded streams of each kind, streams cut anywhere, thoughts in tags, chunks of any shape.
import t from 'tap'
import { Compile } from 'typebox/compile'
import { type TaskEventType, taskEventSchemas } from '../../../src/contract/events/task-events.ts'
import { taskStream } from '../../../src/contract/task-stream.ts'
import { type AgentTask, callsOf, holds, resultsOf } from '../../http/agent-tasks.ts'
import { delta } from '../../support/fake-model.ts'
import type { Item } from '../../support/http.ts'
import { joined, recorded, replay, replayTasks, type SentMessage, sse, stepAt } from './replay.ts'

const done = { body: [sse(delta({ content: 'done' }, 'stop'), '[DONE]')] }
/** What the user said names the recording; whoever has a result is done. */
const byName = ({ role, content }: SentMessage) =>
  role === 'tool' ? done : { body: [recorded(String(content))] }

const textIn = (item: Item): string =>
  ((item.message_content ?? item.content ?? []) as { text: string }[]).map(({ text }) => text).join('')
const saidIn = ({ output }: AgentTask): [type: string, text: string][] =>
  output.flatMap(item => (item.type.startsWith('tool_') ? [] : [[item.type, textIn(item)]]))

const recordings = await replayTasks(t, byName)

const texts: Record<string, { said: [type: string, text: string][]; usage?: object; told?: object }> = {
  'hosted-text': {
    said: [['message', 'The sky is blue — 🦊.']],
    usage: { input_tokens: 21, output_tokens: 7, total_tokens: 28, cached_tokens: 16, reasoning_tokens: 0 },
    told: {
      model: 'omni-large-2026-01-10',
      system_fingerprint: 'fp_7c1a09',
      response_id: 'chatcmpl-C8xQ1',
      finish_reason: 'stop',
    },
  },
  'hosted-filter-results': {
    said: [['message', 'Of course.']],
    told: { model: 'omni-small', response_id: 'chatcmpl-AzF2' },
  },
  'hosted-router': {
    said: [
      ['reasoning', 'Six times seven.'],
      ['message', 'Forty-two'],
    ],
    usage: { input_tokens: 12, output_tokens: 9, total_tokens: 21, reasoning_tokens: 5 },
  },
  'vllm-reasoning': {
    said: [
      ['reasoning', 'Blue, I think.'],
      ['message', '\n\nBlue.'],
    ],
    usage: { input_tokens: 18, output_tokens: 9, total_tokens: 27 },
  },
  'vllm-reasoning-both-names': {
    said: [
      ['reasoning', 'Blue, I think.'],
      ['message', 'Blue.'],
    ],
  },
  'ollama-reasoning': {
    said: [
      ['reasoning', 'Blue, I think.'],
      ['message', 'Blue.'],
    ],
    usage: { input_tokens: 11, output_tokens: 22, total_tokens: 33 },
  },
  'llamacpp-reasoning': {
    said: [
      ['reasoning', 'Blue, I think.'],
      ['message', 'Blue.'],
    ],
    usage: { input_tokens: 14, output_tokens: 9, total_tokens: 23 },
    told: { model: 'thinker.gguf', system_fingerprint: 'b7400-ab12cd3' },
  },
  'llamacpp-think': {
    said: [
      ['reasoning', '\nBlue, I < 2 think.\n'],
      ['message', 'Blue.'],
    ],
  },
  'llamacpp-think-never-closed': {
    said: [['reasoning', 'Blue or green? </thin']],
    told: { finish_reason: 'length' },
  },
}

for (const [name, { said, usage, told = {} }] of Object.entries(texts)) {
  t.test(`${name}: a task has all of it`, async t => {
    const { ask, entries } = recordings
    const task = await ask({ user_message_content: name })
    t.equal(task.status, 'completed')
    t.same(saidIn(task), said)
    t.same(task.usage, usage)
    t.match((await entries(task.id))[0], { finish_reason: 'stop', ...told })
    await holds(t, recordings, task.id)
  })
}

type Call = { name: string; args: unknown; result?: unknown; provider?: string | undefined }
const six: Call = { name: 'calculator', args: { expression: '6*7' }, result: '42' }
const two: Call = { name: 'calculator', args: { expression: '1+1' }, result: '2' }
const write: Call = { name: 'write_file', args: { path: 'a.txt', content: 'hi' }, result: /^Wrote 2 bytes/ }
const calls: Record<string, Call[]> = {
  'hosted-calls-interleaved': [
    { ...six, provider: 'call_aa' },
    { ...write, provider: 'call_bb' },
  ],
  'hosted-calls-one-index': [
    { ...two, provider: 'function-call-119' },
    { ...six, provider: 'function-call-118' },
  ],
  'hosted-text-after-calls': [{ ...six, provider: 'call_cc' }],
  'vllm-calls': [{ ...six, provider: 'chatcmpl-tool-9a' }],
  'ollama-calls': [six, { name: 'current_time', args: {} }, write],
  'ollama-calls-one-by-one': [
    { ...two, provider: 'call_pw8' },
    { ...six, provider: 'call_xk2' },
  ],
  'ollama-calls-index-0': [
    { ...six, provider: 'call_5yq' },
    { ...write, provider: 'call_0fd' },
  ],
  'llamacpp-calls': [{ ...six, provider: 'Yq3v' }],
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
/** The calls of a task by name and arguments, with what came of each and what its endpoint called it. */
const callsIn = (task: AgentTask, ids: Record<string, string>): Call[] =>
  callsOf(task)
    .map(({ call_id, name, arguments: text }) => ({
      name: String(name),
      args: parsed(String(text)),
      result: resultsOf(task).find(result => result.call_id === call_id)?.message_content,
      provider: ids[String(call_id)],
    }))
    .sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))

/** Providers want a message that calls to be followed by the results of its calls, and by nothing else. */
const isAnswered = (messages: SentMessage[]): boolean =>
  messages.every(({ tool_calls = [] }, at) => {
    const next = messages.slice(at + 1, at + 1 + tool_calls.length).map(({ tool_call_id }) => tool_call_id)
    return tool_calls.every(({ id }) => next.includes(id))
  })

for (const [name, expected] of Object.entries(calls)) {
  t.test(`${name}: each call is run by itself, and its result goes back`, async t => {
    const { ask, asked, entries } = recordings
    const task = await ask({ user_message_content: name })
    t.equal(task.status, 'completed', JSON.stringify(task.error))
    const ids = (await entries(task.id))[0]?.provider_call_ids as Record<string, string> | undefined
    t.match(callsIn(task, ids ?? {}), expected)
    t.equal(callsOf(task).length, expected.length)
    const messages = asked.at(-1)?.messages ?? []
    const roles = messages.map(({ role }) => role)
    t.same(roles, ['user', 'assistant', ...expected.map(() => 'tool')], 'one answer is one message')
    t.ok(isAnswered(messages), 'each call is followed by its result')
    await holds(t, recordings, task.id)
  })
}

const heardOf = {
  reasoning_text: 'hm 🤔',
  output_text: 'Größe: 🦊\n',
  'call 0 calculator': '{"expression":"6*7"}',
}
const told = (given: object, finish_reason?: string) => ({ choices: [{ delta: given, finish_reason }] })
const argument = (text: string) => told({ tool_calls: [{ index: 0, function: { arguments: text } }] })
const everything = [
  ': a comment\n\n: another\n',
  sse(told({ role: 'assistant', content: null }), told({ reasoning_content: 'hm ' })),
  `event: chunk\nid: 7\nretry: 10\n${sse(told({ reasoning_content: '🤔' }), told({ content: 'Größe' }))}`,
  ': between\n',
  sse(told({ content: ': 🦊\n' }), told({ tool_calls: [{ index: 0, function: { name: 'calculator' } }] })),
  sse(argument('{"expr')),
  // one event in two lines, without the space
  JSON.stringify(argument('ession":"6*7"}')).replace(/^(.*?,?"delta":)(.*)$/, 'data:$1\ndata:$2\n\n'),
  sse(told({}, 'tool_calls'), '[DONE]'),
].join('')

for (const [name, newline] of Object.entries({ LF: '\n', CRLF: '\r\n', CR: '\r' })) {
  t.test(`a stream whose lines end with ${name} is heard the same, wherever it is cut`, async t => {
    const bytes = Buffer.from(everything.replaceAll('\n', newline))
    const inTwo = [...bytes.keys()].map(at => [bytes.subarray(0, at), bytes.subarray(at)])
    const cuts = [...inTwo, [...bytes].map(byte => Buffer.of(byte))]
    const { baseUrl } = await replay(t, (_, nth) => ({
      body: cuts[nth]?.filter(({ length }) => length > 0) ?? [],
    }))
    const wrong: unknown[] = []
    for (const at of cuts.keys()) {
      const { said, end } = await stepAt(baseUrl)
      const heard = Object.fromEntries(joined(said))
      if (JSON.stringify(heard) !== JSON.stringify(heardOf) || end.end !== 'continue')
        wrong.push({ at, heard, end })
    }
    t.same(wrong, [])
  })
}

const odd = [
  'a',
  '"',
  '\\',
  'b"}',
  '\n',
  '\t',
  '\u0001',
  'é',
  '\u2028',
  '🦊',
  '',
  ' ',
  'data: x',
  '[DONE]',
  '\\n',
  '\\"',
]
odd.push(
  '{"content":"x"}',
  '"},"finish_reason":"stop"}]}',
  '"content":"a"',
  'x'.repeat(5000),
  '</think>',
  '\uFEFF',
)

const writings: Record<string, (given: object) => string> = {
  'as it is': given => JSON.stringify(given),
  escaped: given =>
    JSON.stringify(given).replace(
      /[^ -~]/g,
      sign => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
    ),
  'with spaces': given => JSON.stringify(given, undefined, 1).replaceAll('\n', ''),
}
const lengths = [Number.POSITIVE_INFINITY, 997, 61]
const inPieces = (text: string, length: number): Buffer[] => {
  const bytes = Buffer.from(text)
  const pieces: Buffer[] = []
  for (let at = 0; at < bytes.length; at += length) pieces.push(bytes.subarray(at, at + length))
  return pieces
}

for (const field of ['content', 'reasoning_content', 'reasoning']) {
  t.test(`texts of ${field} are heard to the letter, however alike their chunks are`, async t => {
    const chunk = (given: object, finish_reason: string | null = null, more: object = {}) => ({
      id: 'c1',
      choices: [{ index: 0, delta: given, logprobs: null, finish_reason }],
      ...more,
    })
    const chunks = odd.flatMap(text => [
      ...['a', 'b', text, text].map(said => chunk({ [field]: said })),
      chunk({ role: 'assistant', [field]: 'c' }),
      chunk({ content: null, [field]: 'd' }),
      chunk({ [field]: 'e' }, null, { usage: { prompt_tokens: 1, completion_tokens: 2 } }),
      chunk({ [field]: 'f' }, null, { system_fingerprint: text }),
    ])
    chunks.push(chunk({ [field]: 'g' }), chunk({ [field]: 'h' }, 'stop'))
    const expected = `${odd.map(text => `ab${text}${text}cdef`).join('')}gh`
    for (const [name, write] of Object.entries(writings)) {
      for (const length of lengths) {
        const text = sse(...chunks.map(write), '[DONE]')
        const { baseUrl } = await replay(t, () => ({ body: inPieces(text, length) }))
        const { said, end } = await stepAt(baseUrl)
        t.equal(joined(said)[0]?.[1], expected, `${name}, in pieces of ${length}`)
        t.match(end, {
          end: 'answer',
          usage: { input_tokens: 1, output_tokens: 2 },
          call: { response: { finish_reason: 'stop', system_fingerprint: odd.at(-1) } },
        })
      }
    }
  })
}

t.test('a mark at the beginning, an end without its line, and words after the end do no harm', async t => {
  const answer = sse(delta({ content: 'yes' }, 'stop'))
  for (const text of [`\uFEFF${answer}data: [DONE]`, `${answer}data: [DONE]\n\ndata: garbage\n\n`]) {
    const { baseUrl } = await replay(t, () => ({ body: [text] }))
    const { said, end } = await stepAt(baseUrl)
    t.same([joined(said), end.end], [[['output_text', 'yes']], 'answer'], JSON.stringify(text))
  }
})

t.test('thoughts in tags are told from the answer, wherever the tags are cut', async t => {
  const expectations: [text: string, thought: string | undefined, said: string | undefined][] = [
    ['<think>hm</think>\n\nyes', 'hm', 'yes'],
    [' \n<think>\na < b </thin> c</think>yes </think>', '\na < b </thin> c', 'yes </think>'],
    ['<think></think>yes', undefined, 'yes'],
    ['<think>hm</think>', 'hm', undefined],
    ['<think>hm</thin', 'hm</thin', undefined],
    ['<think>', undefined, undefined],
    ['<thi', undefined, '<thi'],
    ['<thinking>hm</thinking>', undefined, '<thinking>hm</thinking>'],
    ['so <think>hm</think>', undefined, 'so <think>hm</think>'],
    ['  yes', undefined, '  yes'],
  ]
  let pieces: string[] = []
  const { baseUrl } = await replay(t, () => ({
    body: [sse(...pieces.map(content => delta({ content })), delta({}, 'stop'), '[DONE]')],
  }))
  for (const [text, thought, said] of expectations) {
    const cuts = [[text], [...text], ...[...text].map((_, at) => [text.slice(0, at), text.slice(at)])]
    for (pieces of cuts) {
      const heard = Object.fromEntries(joined((await stepAt(baseUrl)).said))
      t.same([heard.reasoning_text, heard.output_text], [thought, said], JSON.stringify(pieces))
    }
  }
})

const wrongShapes = [
  'null',
  '7',
  '"text"',
  '[]',
  '{"choices":null}',
  '{"choices":{}}',
  '{"choices":[null]}',
  '{"choices":[{"delta":7}]}',
  '{"choices":[{"delta":{"content":7}}]}',
  '{"choices":[{"delta":{"content":{"text":"x"}}}]}',
  '{"choices":[{"delta":{"content":[{"type":"text","text":"x"}]}}]}',
  '{"choices":[{"delta":{"reasoning_content":{"text":"x"}}}]}',
  '{"choices":[{"delta":{"refusal":true}}]}',
  '{"choices":[{"delta":{"tool_calls":{}}}]}',
  '{"choices":[{"delta":{"tool_calls":[null]}}]}',
  '{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"name":{"a":1},"arguments":"{}"}}]}}]}',
  '{"choices":[{"delta":{"tool_calls":[{"index":0,"id":7,"function":{"name":"calculator","arguments":"{}"}}]}}]}',
  '{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"name":"calculator","arguments":{"expression":"6*7"}}}]}}]}',
  '{"choices":[{"delta":{"content":"x"},"logprobs":{"content":{}}}]}',
  '{"choices":[{"delta":{"content":"x"},"logprobs":{"content":[{"token":7,"logprob":"a","bytes":"x"}]}}]}',
  '{"choices":[{"delta":{},"finish_reason":7}]}',
  '{"choices":[{"delta":{"content":"x"},"token_ids":"abc"}]}',
  '{"choices":[{"delta":{"content":"x"},"token_ids":[1.5,"x"]}]}',
  '{"prompt_token_ids":"abc"}',
  '{"prompt_token_ids":{"0":1}}',
  '{"id":7,"model":{"name":"x"},"system_fingerprint":7}',
  '{"usage":"many"}',
  '{"usage":{"prompt_tokens":"7","completion_tokens":null}}',
  '{"error":{}}',
  '{"error":{"message":{"text":"x"}}}',
]
const checks = new Map(
  Object.entries(taskEventSchemas).map(([type, schema]) => [type as TaskEventType, Compile(schema)]),
)

t.test('a chunk of any other shape holds up no task, and brings nothing odd into the log', async t => {
  const { post, becomes, server } = await replayTasks(t, ({ role, content }) => {
    if (role === 'tool') return done
    return { body: [sse(delta({ content: 'so ' }), String(content), delta({}, 'stop'), '[DONE]')] }
  })
  const play = async (shape: string) => {
    const { body } = await post({ user_message_content: shape, background: true })
    const task = await becomes(body.result.id, 'completed', 'failed').catch(() => undefined)
    t.ok(task, `${shape}: it ended`)
    t.notMatch(task?.error?.message, /undefined|function|iterable|propert|destructure|object Object/, shape)
    t.notMatch(JSON.stringify(task?.output), /object Object/, shape)
    for (const [name, value] of Object.entries(task?.usage ?? {})) {
      t.ok(Number.isInteger(value), `${shape}: ${name} is ${JSON.stringify(value)}`)
    }
    for await (const events of server.system.log.readStream(taskStream(body.result.id))) {
      for (const { header, data } of events) {
        const problems = checks.get(header.type as TaskEventType)?.Errors(data) ?? []
        t.same([...problems], [], `${shape}: ${header.type}`)
      }
    }
  }
  await Promise.all(wrongShapes.map(play))
  t.same(server.lines, [], 'it is no failure of ours')
})
