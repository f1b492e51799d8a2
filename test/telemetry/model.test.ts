// Spans of an agent with a model: each of its calls, and what was said in it only for those who asked.
import path from 'node:path'
import t, { type Test } from 'tap'
import type { Span } from '../../src/telemetry/spans.ts'
import { type Answer, calls, fakeModel, says } from '../support/fake-model.ts'
import { serveHere } from '../support/server.ts'
import { collector, follow, spansOf } from './collector.ts'
import type { ExportedSpan } from './otlp.ts'

type Body = Record<string, unknown>
type Server = Awaited<ReturnType<typeof serveHere>>

/** A task on a server with a model, to its end; `first` happens before it. */
const given = async (
  t: Test,
  answers: Answer[],
  body: Body = {},
  first: (server: Server) => void = () => {},
  path = '',
) => {
  const { env } = await fakeModel(t, answers)
  const server = await serveHere(t, { ...env, MODEL_BASE_URL: `${env.MODEL_BASE_URL}${path}` })
  first(server)
  const answer = await server.api('POST', '/tasks', {
    user_message_content: 'what is 2+2?',
    stream: false,
    session_id: 's1',
    env: { TOKEN: 'sk-of-mine' },
    ...body,
  })
  const { id } = ((await answer.json()) as { result: { id: string } }).result
  return { ...server, taskId: id }
}
const contentKeys = (spans: Span[]) =>
  [...new Set(spans.flatMap(({ attributes }) => Object.keys(attributes)))].filter(key =>
    /messages|instructions|arguments|result|definitions/.test(key),
  )

t.test('the provider is the one whose protocol the endpoint speaks', async t => {
  for (const [path, provider] of [
    ['/messages', 'anthropic'],
    ['/responses', 'openai'],
  ]) {
    const { system } = await given(t, [says('It is 4.')], {}, () => {}, path)
    t.same(
      (await spansOf(system.log)).map(({ name, attributes }) => [name, attributes['gen_ai.provider.name']]),
      [
        ['chat fake-1', provider],
        ['invoke_agent model', provider],
      ],
    )
  }
})

t.test('each call of a model is a span: what was asked for, what answered, how much it took', async t => {
  const answers: Answer[] = [
    calls(['calculator', '{"expression":"2+2"}']),
    { ...says('It is 4.'), model: 'fake-1-0613' },
  ]
  const { system, taskId } = await given(t, answers)
  const spans = await spansOf(system.log)
  t.same(
    spans.map(({ name, kind }) => [name, kind]),
    [
      ['chat fake-1', 'client'],
      ['execute_tool calculator', 'internal'],
      ['chat fake-1', 'client'],
      ['invoke_agent model', 'internal'],
    ],
  )
  const [asking, tool, answering, run] = spans as [Span, Span, Span, Span]
  t.match(answering, {
    traceId: run.traceId,
    parentSpanId: run.spanId,
    failed: false,
    attributes: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'openai',
      'gen_ai.request.model': 'fake-1',
      'gen_ai.response.model': 'fake-1-0613',
      'gen_ai.response.id': /./,
      'gen_ai.response.finish_reasons': ['stop'],
      'gen_ai.usage.input_tokens': 7,
      'gen_ai.usage.output_tokens': 3,
      'gen_ai.conversation.id': 's1',
      'reprise.effect.id': `${taskId}/2`,
      'reprise.task.id': taskId,
    },
  })
  t.same(asking.attributes['gen_ai.response.finish_reasons'], ['tool_calls'])
  t.notOk('gen_ai.usage.input_tokens' in asking.attributes, 'what was not counted is not told')
  t.match(run.attributes, {
    'gen_ai.provider.name': 'openai',
    'gen_ai.request.model': 'fake-1',
    'gen_ai.usage.input_tokens': 7,
    'gen_ai.usage.output_tokens': 3,
  })
  t.ok(run.start <= asking.start && asking.end <= tool.start && tool.end <= answering.start)
})

t.test('the wait for the first word belongs to the call', async t => {
  const { system } = await given(t, [{ ...says('late'), delay_ms: 300 }])
  const [call] = await spansOf(system.log)
  t.ok((call?.end ?? 0) - (call?.start ?? 0) >= 290)
})

t.test('a call that broke off is an error, and the next attempt another span', async t => {
  const { system, taskId } = await given(t, [
    { text: 'half a', cut: true, finish_reason: null },
    says('whole'),
  ])
  const spans = await spansOf(system.log)
  t.match(
    spans.map(({ name, failed, attributes }) => [
      name,
      failed,
      attributes['error.type'],
      attributes['reprise.effect.id'],
    ]),
    [
      [/^chat/, true, 'abandoned', `${taskId}/1`],
      ['chat fake-1', false, undefined, `${taskId}/1.1`],
      ['invoke_agent model', false, undefined, undefined],
    ],
  )
  t.equal(new Set(spans.map(({ spanId }) => spanId)).size, 3)
})

t.test('what was said stays here', async t => {
  const { system } = await given(t, [calls(['calculator', '{"expression":"2+2"}']), says('It is 4.')])
  const spans = await spansOf(system.log)
  t.equal(spans.length, 4)
  t.same(contentKeys(spans), [])
  t.notMatch(JSON.stringify(spans), /2\+2|It is 4/)
})

t.test('for those who ask, messages, arguments and results go with their spans; secrets do not', async t => {
  const thinking: Answer = { ...calls(['calculator', '{"expression":"2+2"}']), reasoning: 'let me see' }
  const { url, spans, until } = await collector(t)
  const env = { OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: 'true' }
  const answers = [thinking, says('It is 4.')]
  const image = { type: 'input_image', image_url: { url: 'data:image/png;base64,AAAA' } }
  const body = {
    user_message_content: [{ type: 'input_text', text: 'what is 2+2?' }, image],
    agent_config: { developer_prompt: 'Be brief.' },
  }
  await given(t, answers, body, ({ system, dataDir }) => {
    follow(t, { log: system.log, file: path.join(dataDir, 'otel.json'), url, env })
  })
  await until(() => spans.length >= 4)
  const json = (span: ExportedSpan | undefined, key: string) => JSON.parse(String(span?.attributes[key]))
  const [asking, tool, answering, run] = spans
  t.same(json(asking, 'gen_ai.input.messages'), [
    { role: 'system', parts: [{ type: 'text', content: 'Be brief.' }] },
    { role: 'user', parts: [{ type: 'text', content: 'what is 2+2?' }, { type: 'image_url' }] },
  ])
  const call = { type: 'tool_call', id: /./, name: 'calculator', arguments: { expression: '2+2' } }
  const thought = { type: 'reasoning', content: 'let me see' }
  t.match(json(asking, 'gen_ai.output.messages'), [
    { role: 'assistant', parts: [thought, call], finish_reason: 'tool_calls' },
  ])
  t.match(tool?.attributes, {
    'gen_ai.tool.call.arguments': '{"expression":"2+2"}',
    'gen_ai.tool.call.result': '4',
  })
  t.match(json(answering, 'gen_ai.input.messages').slice(2), [
    { role: 'assistant', parts: [thought, call] },
    { role: 'tool', parts: [{ type: 'tool_call_response', id: /./, response: '4' }] },
  ])
  t.same(json(run, 'gen_ai.input.messages'), [
    { role: 'user', parts: [{ type: 'text', content: 'what is 2+2?' }, { type: 'input_image' }] },
  ])
  t.same(json(run, 'gen_ai.output.messages'), [
    { role: 'assistant', parts: [{ type: 'text', content: 'It is 4.' }], finish_reason: 'stop' },
  ])
  t.notMatch(JSON.stringify(spans), /sk-|base64/)
})
