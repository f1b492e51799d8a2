// Answers that end for an unusual reason, or say too little.
import t from 'tap'
import { answers } from '../../../src/fake-model/faults/answers.ts'
import { faultNamed } from '../../../src/fake-model/faults/faults.ts'
import { type ProtocolName, protocolNames } from '../../../src/fake-model/protocols/protocol.ts'
import { fold, jsonOf, unfold } from '../support.ts'
import { argumentsOf, play } from './support.ts'

/** Why each answer ends, as each protocol says it. */
const ends: Record<string, Record<ProtocolName, string>> = {
  'content-filter': { chat: 'content_filter', messages: 'refusal', responses: 'incomplete' },
  'finish-error': { chat: 'error', messages: 'error', responses: 'failed' },
  'finish-abort': { chat: 'abort', messages: 'abort', responses: 'cancelled' },
  'unknown-finish-reason': { chat: 'tired', messages: 'tired', responses: 'incomplete' },
  length: { chat: 'length', messages: 'max_tokens', responses: 'incomplete' },
  'length-in-call': { chat: 'length', messages: 'max_tokens', responses: 'incomplete' },
  'calls-with-stop': { chat: 'stop', messages: 'end_turn', responses: 'completed' },
}

for (const [name, end] of Object.entries(ends)) {
  t.test(`${name}: the whole answer comes, and ends so`, async t => {
    for (const protocol of protocolNames) {
      const seen = fold[protocol]((await play(t, name, { protocol })).text)
      t.equal(seen.end, end[protocol])
      t.equal(seen.text, 'hello wörld 😀')
      const whole = unfold[protocol](JSON.parse((await play(t, name, { protocol, stream: false })).text))
      t.equal(whole.end, end[protocol])
      if (name !== 'length-in-call') continue
      t.equal(seen.calls[0]?.arguments, argumentsOf[0])
      t.equal(seen.calls[1]?.arguments, argumentsOf[1]?.slice(0, 4))
    }
  })
}

t.test('an empty answer, and one with reasoning alone, end with stop', async t => {
  for (const protocol of protocolNames) {
    const empty = fold[protocol]((await play(t, 'empty-answer', { protocol })).text)
    const thought = fold[protocol]((await play(t, 'reasoning-only', { protocol })).text)
    for (const { text, calls, end } of [empty, thought]) {
      t.match({ text, calls }, { text: '', calls: [] })
      t.equal(end, { chat: 'stop', messages: 'end_turn', responses: 'completed' }[protocol])
    }
    t.same([empty.reasoning, thought.reasoning], ['', 'let me think'])
  }
})

t.test('usage is absent, or null', async t => {
  for (const protocol of protocolNames) {
    const none = (await play(t, 'no-usage', { protocol })).text
    t.notMatch(none, /"usage":\{/)
    const { text } = await play(t, 'usage-null', { protocol })
    const last = jsonOf(text).findLast(event => 'usage' in event || event.type === 'response.completed')
    t.equal((last?.response as { usage: unknown } | undefined)?.usage ?? last?.usage ?? null, null)
    t.match(text, /"usage":null/)
    const whole = JSON.parse((await play(t, 'usage-null', { protocol, stream: false })).text)
    t.equal(whole.usage, null)
  }
})

t.test('chunks have an empty reason to finish, or finish twice', async t => {
  const reasons = async (fault: string) =>
    jsonOf((await play(t, fault)).text).flatMap(({ choices }) =>
      (choices as { finish_reason: unknown }[]).map(({ finish_reason }) => finish_reason),
    )
  const empty = await reasons('finish-reason-empty')
  t.equal(empty.pop(), 'tool_calls')
  t.ok(empty.length > 5 && empty.every(reason => reason === ''))
  t.same((await reasons('finish-twice')).slice(-3), [null, 'tool_calls', 'tool_calls'])
})

t.test('chunks without choices are between the chunks, and the answer is whole', async t => {
  for (const [fault, choices] of [
    ['empty-choices', []],
    ['no-choices', undefined],
  ] as const) {
    const chunks = jsonOf((await play(t, fault)).text)
    t.same(chunks[0]?.choices, choices)
    t.equal(
      chunks.filter(chunk => JSON.stringify(chunk.choices) === JSON.stringify(choices)).length > 5,
      true,
    )
    const left = chunks.filter((_, n) => n % 2 === 1).map(chunk => `data: ${JSON.stringify(chunk)}\n\n`)
    t.equal(fold.chat(left.join('')).text, 'hello wörld 😀')
  }
})

t.test('half of a surrogate pair is told as JSON tells it', async t => {
  for (const protocol of protocolNames) {
    for (const stream of [true, false]) {
      const { text } = await play(t, 'lone-surrogate', { protocol, stream })
      t.match(text, stream ? /"\\ud83c"/ : /hello \\ud83cwörld/)
    }
  }
})

t.test('a slow answer begins late, and takes its time', async t => {
  t.same(faultNamed('slow')?.answer?.({ text: 'a' }), { text: 'a', delay_ms: 2000, token_ms: 300 })
})

t.test('each fault of this kind is tested here', async t => {
  const others = ['empty-answer', 'reasoning-only', 'no-usage', 'usage-null', 'finish-reason-empty']
  const more = ['finish-twice', 'empty-choices', 'no-choices', 'lone-surrogate', 'slow']
  t.same(answers.map(({ name }) => name).sort(), [...Object.keys(ends), ...others, ...more].sort())
})
