// What the answers of a fake model look like, streamed and whole.
import t from 'tap'
import { contentOf, dataOf, given, joined } from './support.ts'

type CallPiece = { index: number; id?: string; function: { name?: string; arguments: string } }

t.test('a text is streamed a word at a time, with one head, an end and [DONE]', async t => {
  const { ask } = await given(t, [{ text: 'one two  three' }])
  const answer = await ask('hello', { stream: true, model: 'mine' })
  t.match(answer.headers.get('content-type'), 'text/event-stream')
  const told = dataOf(await answer.text())
  t.equal(told.pop(), '[DONE]')
  const chunks = told.map(data => JSON.parse(data))
  t.same(
    chunks.map(({ choices }) => [choices[0].delta, choices[0].finish_reason]),
    [
      [{ role: 'assistant', content: '' }, null],
      [{ content: 'one ' }, null],
      [{ content: 'two  ' }, null],
      [{ content: 'three' }, null],
      [{}, 'stop'],
    ],
  )
  for (const { object, model } of chunks) t.same([object, model], ['chat.completion.chunk', 'mine'])
  t.equal(new Set(chunks.map(({ id }) => id)).size, 1)
  t.notOk(chunks.some(chunk => 'usage' in chunk))
})

t.test('reasoning goes by three names', async t => {
  const think = { reasoning: 'hm, so', text: 'yes' }
  const { chunks, whole } = await given(t, [
    think,
    { ...think, reasoning_as: 'reasoning' },
    { ...think, reasoning_as: 'think' },
    { ...think, reasoning_as: 'reasoning' },
  ])
  const [first, second, third] = [await chunks(), await chunks(), await chunks()]
  t.same([joined(first, 'reasoning_content'), joined(first, 'content')], ['hm, so', 'yes'])
  t.same([joined(second, 'reasoning'), joined(second, 'content')], ['hm, so', 'yes'])
  t.equal(joined(third, 'content'), '<think>hm, so</think>\nyes')
  t.match((await whole()).choices[0]?.message, { reasoning: 'hm, so', content: 'yes' })
})

t.test('calls come in pieces: the name first, then the arguments, never cut inside a character', async t => {
  const tool_calls = [
    { name: 'say', arguments: { what: '😀😀😀😀' } },
    { name: 'raw', arguments: '{"broken' },
  ]
  const { chunks, whole } = await given(t, [{ tool_calls }, { tool_calls }])
  const told = await chunks()
  const pieces = told.flatMap(({ choices }) => (choices[0]?.delta.tool_calls ?? []) as CallPiece[])
  for (const [index, name, args] of [
    [0, 'say', '{"what":"😀😀😀😀"}'],
    [1, 'raw', '{"broken'],
  ] as const) {
    const [head, ...rest] = pieces.filter(piece => piece.index === index)
    t.match(head, { id: /^fake_call_\d+$/, type: 'function', function: { name, arguments: '' } })
    t.ok(rest.length > 1)
    t.ok(rest.every(piece => piece.id === undefined && !/\p{Surrogate}/u.test(piece.function.arguments)))
    t.equal(rest.map(piece => piece.function.arguments).join(''), args)
  }
  t.equal(told.at(-1)?.choices[0]?.finish_reason, 'tool_calls')
  t.match((await whole()).choices[0], {
    finish_reason: 'tool_calls',
    message: {
      content: null,
      tool_calls: [
        { id: 'fake_call_3', type: 'function', function: { name: 'say', arguments: '{"what":"😀😀😀😀"}' } },
        { id: 'fake_call_4', function: { name: 'raw', arguments: '{"broken' } },
      ],
    },
  })
})

t.test('usage is told in a stream that asks for it, and in every whole answer', async t => {
  const counted = { prompt_tokens: 7, completion_tokens: 3 }
  const { chunks, whole } = await given(t, [
    { text: 'a b c' },
    { text: 'a', usage: counted },
    { text: 'a', usage: false },
    { text: 'a', usage: counted },
    { text: 'a', usage: false },
  ])
  const asked = { stream_options: { include_usage: true } }
  const rough = await chunks('hello', asked)
  t.match(rough.at(-1), { choices: [], usage: { completion_tokens: 3 } })
  t.ok(rough.slice(0, -1).every(({ usage }) => usage === null))
  t.same((await chunks('hello', asked)).at(-1)?.usage, { ...counted, total_tokens: 10 })
  t.notOk((await chunks('hello', asked)).at(-1)?.usage)
  t.same((await whole()).usage, { ...counted, total_tokens: 10 })
  t.notOk('usage' in (await whole()))
})

t.test('log probabilities and token ids stand beside every piece, and add up in a whole answer', async t => {
  const answer = { reasoning: 'hm', text: 'one two', refusal: 'no', logprobs: true, token_ids: true }
  const { chunks, whole } = await given(t, [answer, answer, { text: 'plain' }])
  const told = await chunks()
  t.ok((told[0]?.prompt_token_ids ?? []).length > 0)
  t.notOk(told.slice(1).some(chunk => 'prompt_token_ids' in chunk))
  const pieces = told.slice(1, -1).map(({ choices: [choice] }) => choice)
  t.equal(pieces.length, 4)
  for (const piece of pieces) {
    const entries = [...(piece?.logprobs?.content ?? []), ...(piece?.logprobs?.refusal ?? [])]
    t.match(entries, [{ token: String, logprob: Number, bytes: [Number], top_logprobs: [] }])
    t.equal(piece?.token_ids?.length, 1)
  }
  t.same(pieces[1]?.logprobs?.content[0]?.bytes, [...Buffer.from('one ')])
  const { choices, prompt_token_ids } = await whole()
  t.same(
    choices[0]?.logprobs?.content.map(({ token }) => token),
    ['hm', 'one ', 'two'],
  )
  t.same(
    choices[0]?.token_ids,
    pieces.flatMap(piece => piece?.token_ids),
    'the same text has the same ids',
  )
  t.same(prompt_token_ids, told[0]?.prompt_token_ids)
  const plain = await chunks()
  t.ok(plain.every(({ choices: [choice] }) => choice?.logprobs === null && !('token_ids' in choice)))
})

t.test('a refusal, a reason to finish, a model and a fingerprint are as the script says', async t => {
  const names = { model: 'other', system_fingerprint: 'fp_1' }
  const { chunks, whole } = await given(t, [
    { refusal: 'I will not', ...names },
    { text: 'cut', finish_reason: 'length', ...names },
    { text: 'no end', finish_reason: null },
  ])
  const refused = await chunks()
  t.equal(joined(refused, 'refusal'), 'I will not')
  for (const chunk of refused) t.match(chunk, names)
  t.match(await whole(), { ...names, choices: [{ finish_reason: 'length', message: { refusal: null } }] })
  t.ok((await chunks()).every(({ choices: [choice] }) => choice?.finish_reason === null))
})

t.test('raw chunks are sent as they are, broken ones too', async t => {
  const { ask } = await given(t, [{ chunks: [{ mine: 1 }, '{"half', '[DONE]'] }, { text: 'a', done: false }])
  const raw = await (await ask('hello', { stream: true })).text()
  t.same(dataOf(raw), ['{"mine":1}', '{"half', '[DONE]', '[DONE]'])
  t.notMatch(await (await ask('hello', { stream: true })).text(), 'DONE')
})

t.test('a text of tens of megabytes is made while it is read, and not beyond', async t => {
  const word = 'x'.repeat(1 << 20)
  const { ask } = await given(t, [{ text: word, repeat: 1 << 20 }])
  const answer = await ask('hello', { stream: true })
  let bytes = 0
  for await (const piece of answer.body ?? []) {
    bytes += piece.length
    if (bytes > 30 << 20) break
  }
  t.ok(bytes > 30 << 20)
  const before = process.memoryUsage().external + process.memoryUsage().heapUsed
  t.ok(before < 1 << 30, 'a terabyte was not made at once')
})

t.test('a whole answer can repeat its text too', async t => {
  const { whole } = await given(t, [{ text: 'ab ', repeat: 3 }])
  t.equal(contentOf(await whole()), 'ab ab ab ')
})
