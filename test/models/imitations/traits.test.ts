// What each vendor sends that others do not.
import t, { type Test } from 'tap'
import type { Answer } from '../../../src/fake-model/answer.ts'
import { type Fields, fieldsOf, listOf } from '../../../src/fake-model/question.ts'
import { eventsOf, jsonOf } from '../../fake-model/support.ts'
import { type ImitationName, imitations } from './all.ts'
import { firstTurn } from './good.ts'
import type { Imitation } from './imitation.ts'
import { serveImitation } from './serve.ts'

const answer: Answer = {
  reasoning: 'let me think',
  text: 'hello you',
  tool_calls: [
    { name: 'add', arguments: { a: 1 } },
    { name: 'add', arguments: { a: 2 } },
  ],
}
/** The text of an answer. */
const ask = async (t: Test, name: ImitationName, stream: boolean): Promise<string> => {
  const { origin, model, headers } = await serveImitation(t, name, [answer])
  const { paths, base } = imitations[name] as Imitation
  const { search } = new URL(base, origin)
  const asked = await fetch(`${origin}${paths.chat ?? paths.messages}${search}`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ ...firstTurn(name, model), stream }),
  })
  return asked.text()
}
const chunksOf = async (t: Test, name: ImitationName): Promise<Fields[]> => jsonOf(await ask(t, name, true))
const choiceOf = (chunk: Fields): Fields => fieldsOf(listOf(chunk.choices)[0])
const deltas = (chunks: Fields[]): Fields[] => chunks.map(chunk => fieldsOf(choiceOf(chunk).delta))
const callPieces = (chunks: Fields[]): Fields[] =>
  deltas(chunks)
    .flatMap(({ tool_calls }) => listOf(tool_calls))
    .map(fieldsOf)
const messageOf = async (t: Test, name: ImitationName): Promise<Fields> =>
  fieldsOf(choiceOf(JSON.parse(await ask(t, name, false)) as Fields).message)
const joined = (chunks: Fields[], field: string): string =>
  deltas(chunks)
    .map(delta => delta[field] ?? '')
    .join('')

t.test('OpenAI shows no reasoning in Chat Completions', async t => {
  t.notMatch(await ask(t, 'openai', true), /reasoning/)
  t.notMatch(await ask(t, 'openai', false), /reasoning_content|think/)
})

t.test('Azure tells what its filters found, in chunks without choices and without a delta', async t => {
  const chunks = await chunksOf(t, 'azure')
  t.match(chunks[0], { choices: [], prompt_filter_results: [{ prompt_index: 0 }] })
  t.ok(
    chunks.some(chunk => choiceOf(chunk).delta === undefined && 'content_filter_offsets' in choiceOf(chunk)),
  )
  const told = chunks.slice(1).every(chunk => 'content_filter_results' in choiceOf(chunk))
  t.ok(told, 'each choice has what the filters found')
  t.match(JSON.parse(await ask(t, 'azure', false)), {
    prompt_filter_results: [{}],
    choices: [{ content_filter_results: { hate: { filtered: false } } }],
  })
})

t.test('Anthropic signs its thoughts', async t => {
  const events = eventsOf(await ask(t, 'anthropic', true))
  t.ok(events.some(({ data }) => data.includes('signature_delta')))
})

t.test('Gemini signs the first call, and sends calls whole and without an index', async t => {
  const calls = callPieces(await chunksOf(t, 'gemini'))
  t.equal(calls.length, 2)
  t.match(calls[0], { extra_content: { google: { thought_signature: String } } })
  t.notOk(calls.some(call => 'index' in call))
  t.notOk('extra_content' in (calls[1] ?? {}))
  t.match((await messageOf(t, 'gemini')).tool_calls, [{ extra_content: {} }, {}])
})

t.test('Mistral thinks in parts of the content, and has short ids', async t => {
  const chunks = await chunksOf(t, 'mistral')
  t.match(
    deltas(chunks).find(({ content }) => Array.isArray(content)),
    { content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'let ' }] }] },
  )
  const calls = callPieces(chunks)
  t.same(
    calls.map(({ function: called }) => fieldsOf(called).arguments),
    ['{"a":1}', '{"a":2}'],
  )
  const ids = calls.map(({ id }) => String(id))
  t.ok(ids.every(id => /^[a-zA-Z0-9]{9}$/.test(id)))
  t.equal(new Set(ids).size, 2)
  t.match((await messageOf(t, 'mistral')).content, [
    { type: 'thinking' },
    { type: 'text', text: 'hello you' },
  ])
})

t.test('DeepSeek keeps connections alive with comments, and with empty lines before a body', async t => {
  const stream = await ask(t, 'deepseek', true)
  t.match(stream, /^: keep-alive\n\n/)
  t.equal(joined(jsonOf(stream), 'reasoning_content'), 'let me think')
  const whole = await ask(t, 'deepseek', false)
  t.match(whole, /^\n\n\{/)
  t.match(JSON.parse(whole), { choices: [{ message: { reasoning_content: 'let me think' } }] })
})

t.test('OpenRouter sends comments, details of reasoning, and names the provider', async t => {
  const stream = await ask(t, 'openrouter', true)
  t.equal(stream.match(/^: OPENROUTER PROCESSING$/gm)?.length, 2)
  const chunks = jsonOf(stream)
  t.equal(joined(chunks, 'reasoning'), 'let me think')
  t.ok(chunks.every(({ provider }) => provider === 'Google AI Studio'))
  t.match(choiceOf(chunks.at(-1) ?? {}), { finish_reason: 'tool_calls', native_finish_reason: 'tool_calls' })
  t.match(await messageOf(t, 'openrouter'), {
    reasoning: 'let me think',
    reasoning_details: [{ type: 'reasoning.text', text: 'let me think' }, { signature: String }],
  })
})

t.test('vLLM and llama.cpp begin the arguments of a call in its first piece', async t => {
  for (const name of ['vllm', 'llama.cpp'] as const) {
    const calls = callPieces(await chunksOf(t, name))
    t.match(calls[0], { index: 0, id: String, function: { name: 'add', arguments: /^\{/ } })
    const texts = calls
      .filter(({ index }) => index === 0)
      .map(({ function: called }) => fieldsOf(called).arguments)
    t.equal(texts.join(''), '{"a":1}')
  }
  const chunks = await chunksOf(t, 'vllm')
  t.equal(joined(chunks, 'reasoning'), 'let me think')
  t.ok(chunks.every(chunk => choiceOf(chunk).stop_reason === null))
  const local = await chunksOf(t, 'llama.cpp')
  t.match(local.at(-1), { timings: { predicted_n: 3 } })
  t.equal(joined(local, 'reasoning_content'), 'let me think')
})

t.test('Ollama sends calls whole and without an index, and its fingerprint', async t => {
  const chunks = await chunksOf(t, 'ollama')
  const calls = callPieces(chunks)
  t.same(
    calls.map(call => ['index' in call, fieldsOf(call.function).arguments]),
    [
      [false, '{"a":1}'],
      [false, '{"a":2}'],
    ],
  )
  t.ok(chunks.every(({ system_fingerprint }) => system_fingerprint === 'fp_ollama'))
  t.equal(joined(chunks, 'reasoning'), 'let me think')
})
