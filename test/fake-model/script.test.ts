// How a script is used up, replaced and refused; and what can be looked at afterwards.
import t from 'tap'
import type { Answer } from '../../src/fake-model/answer.ts'
import { problemsOfScript } from '../../src/fake-model/check.ts'
import { startFakeModel } from '../../src/fake-model/server.ts'
import { contentOf, given } from './support.ts'

t.test('answers are used in order, and when none is left that is said', async t => {
  const { ask, whole } = await given(t, [{ text: 'one' }, { text: 'two' }])
  t.equal(contentOf(await whole()), 'one')
  t.equal(contentOf(await whole()), 'two')
  for (const stream of [true, false]) {
    const answer = await ask('hello', { stream })
    t.equal(answer.status, 500)
    t.same(await answer.json(), { error: { message: 'the script has no answer left' } })
  }
})

t.test('an answer for a text is given whenever the newest message holds it, and never used up', async t => {
  const { whole } = await given(t, [{ text: 'first' }, { when: 'weather', text: 'rain' }, { text: 'second' }])
  t.equal(contentOf(await whole('how is the weather?')), 'rain')
  t.equal(contentOf(await whole('hello')), 'first')
  const parts = [{ type: 'text', text: 'and the' }, { type: 'image_url' }, { type: 'text', text: 'weather?' }]
  t.equal(contentOf(await whole([{ role: 'user', content: parts }])), 'rain')
  const earlier = [
    { role: 'user', content: 'weather' },
    { role: 'tool', content: '12 degrees' },
  ]
  t.equal(contentOf(await whole(earlier)), 'second', 'only the newest message counts')
})

t.test('a script is replaced while it plays, but not by a bad one', async t => {
  const { post, whole } = await given(t, [{ text: 'old' }, { text: 'old' }])
  t.equal(contentOf(await whole()), 'old')
  const refused = await post('/script', [{ text: 'fine' }, { text: 1 }])
  t.equal(refused.status, 400)
  t.same(await refused.json(), { error: { message: 'answer 2: text must be a text' } })
  t.equal((await post('/script', '[{')).status, 400)
  t.equal(contentOf(await whole()), 'old')
  const taken = await post('/script', [{ text: 'new' }])
  t.same([taken.status, await taken.json()], [200, { answers: 1 }])
  t.equal(contentOf(await whole()), 'new')
})

t.test('every problem of a script is told with its answer and its field', async t => {
  const bad = [
    'hello',
    { txt: 'a', repeat: 0, token_ms: -1 },
    { tool_calls: [{ name: 'a' }, { arguments: 3 }], reasoning_as: 'thought', fault: ['cut-in-cal'] },
    { error: { status: 99, headers: { 'not good': 'x', 'x-two': 'a\nb' } }, text: 'beside' },
    { usage: { prompt_tokens: 1 }, chunks: [3], logprobs: 'yes', finish_reason: 1 },
  ]
  t.same(problemsOfScript(bad), [
    'answer 1: it must be an object',
    'answer 2: txt is no field of an answer',
    'answer 2: repeat must be a whole number from 1',
    'answer 2: token_ms must be milliseconds from 0 to 2147483647',
    'answer 3: tool_calls[1].name is missing',
    'answer 3: tool_calls[1].arguments must be an object or a text',
    'answer 3: reasoning_as must be one of reasoning_content, reasoning, reasoning_details, reasoning_text, thinking, think',
    'answer 3: fault[0]: there is no fault cut-in-cal; reprise model fake --faults lists them',
    'answer 4: error.status must be an HTTP status from 200 to 599',
    'answer 4: error.headers.not good must be a header name with a text as its value',
    'answer 4: error.headers.x-two must be a header name with a text as its value',
    'answer 4: text cannot stand beside error',
    'answer 5: usage.completion_tokens is missing',
    'answer 5: chunks[0] must be an object or a text',
    'answer 5: logprobs must be true or false',
    'answer 5: finish_reason must be a text or null',
    'answer 5: usage cannot stand beside chunks',
    'answer 5: logprobs cannot stand beside chunks',
    'answer 5: finish_reason cannot stand beside chunks',
  ])
  t.same(problemsOfScript({}), ['a script must be a list of answers'])
  t.same(problemsOfScript([{}, { toString: 'x' }]), ['answer 2: toString is no field of an answer'])
  await t.rejects(startFakeModel({ answers: [{ text: 1 }] as unknown as Answer[] }), /answer 1: text/)
})

t.test('what was asked can be read again to the letter, but for secrets', async t => {
  const { url, asked, post } = await given(t)
  const sent = '{"messages": [ {"role":"user", "content":"h\\u00e9 é"} ], "messages":[{"content":"x"}]}'
  const key = { authorization: 'Bearer sk-1', 'api-key': 'sk-2', 'x-mine': 'seen' }
  await post('/v1/chat/completions', sent, key)
  await post('/v1/chat/completions', 'no JSON', key)
  const requests = await (await fetch(`${url}/requests`)).json()
  t.match(requests, [
    { body: sent, headers: { authorization: '***', 'x-mine': 'seen' } },
    { body: 'no JSON' },
  ])
  t.notMatch(JSON.stringify(requests), /sk-/)
  t.match(asked[0], { body: sent, request: { messages: [{ content: 'x' }] } })
  t.equal(asked[0]?.headers.authorization, 'Bearer sk-1', 'a test in the same process sees what it sent')
  t.equal(asked[1]?.request, undefined)
})

t.test('what is no request for a completion is refused in words', async t => {
  const { url, post } = await given(t)
  const told = async (answer: Response) => [
    answer.status,
    ((await answer.json()) as { error: { message: string } }).error.message,
  ]
  const chat = '/v1/chat/completions'
  t.match(await told(await post(chat, '{')), [400, /^the body is no JSON/])
  t.same(await told(await post(chat, 'null')), [400, 'messages must be a list that is not empty'])
  t.same(await told(await post(chat, { messages: [] })), [400, 'messages must be a list that is not empty'])
  t.same(await told(await post(chat, { messages: [1] })), [400, 'each of messages must be an object'])
  t.match(await told(await fetch(`${url}/chat/completions`)), [
    404,
    /there is no path \/chat\/completions; .*\/v1/,
  ])
  t.match(await told(await fetch(`${url}/toString`)), [404, /there is no/])
  const wrong = await fetch(`${url}${chat}`)
  t.equal(wrong.headers.get('allow'), 'POST')
  t.same(await told(wrong), [405, `${chat} does not take GET, but POST`])
  t.match(await (await fetch(`${url}/v1/models`)).json(), { object: 'list', data: [{ id: 'fake-1' }] })
})
