// Every fault of the fake model by its name, in Messages and Responses: no call is made that was not whole, no half
// text counts as an answer, and each step ends.
import t, { type Test } from 'tap'
import type { Answer } from '../../../src/fake-model/answer.ts'
import type { Fault } from '../../../src/fake-model/faults/fault.ts'
import { faults } from '../../../src/fake-model/faults/faults.ts'
import { startFakeModel } from '../../../src/fake-model/server.ts'
import { realWorld } from '../../../src/platform/world.ts'
import { stepAt } from '../../agents/streams/replay.ts'
import { type Outcome, outcomeOf } from '../kinds/outcome.ts'

type Name = 'messages' | 'responses'

const look = (at: number) => ({ name: 'look', arguments: { at } })
const answer: Answer = {
  when: 'hello',
  reasoning: 'Hm hm.',
  text: 'one two three',
  tool_calls: [look(1), look(2)],
}
const calls = ['look {"at":1}', 'look {"at":2}']
const said = { text: 'one two three', thought: 'Hm hm.' }
const whole: Outcome = { end: 'continue', ...said, calls }
const lost: Outcome = { end: 'again', ...said }
const lostEarly: Outcome = { end: 'again', thought: 'Hm ' }
const lostInText: Outcome = { end: 'again', text: 'one ', thought: 'Hm hm.' }
const nothing: Outcome = { end: 'again' }
const fails = (words: string): Outcome => ({ end: `fail: the model's endpoint answered ${words}` })
const fire = fails('500: the engine is on fire')
const made = (...args: string[]): Outcome => ({ ...whole, calls: args.map(text => `look ${text}`) })

/** What a step makes of each fault of a stream. All others change nothing that matters. */
const streamed: Record<string, Outcome | Record<Name, Outcome>> = {
  'cut-in-call': lost,
  'cut-before-arguments': lost,
  'break-in-call': lost,
  'cut-in-text': lostInText,
  'close-in-text': lostInText,
  'cut-in-reasoning': lostEarly,
  'cut-at-once': nothing,
  'close-without-done': { messages: whole, responses: lost },
  'close-without-finish': lost,
  'hang-at-once': nothing,
  'hang-in-text': lostInText,
  'hang-in-call': lost,
  'comments-only': nothing,
  'comments-after-text': lostInText,
  'pings-only': nothing,
  'content-filter': { end: 'correct', ...said, cut: 'content_filter' },
  'finish-error': { messages: { end: 'correct', ...said, cut: 'error' }, responses: lost },
  'finish-abort': { end: 'correct', ...said, cut: 'abort' },
  length: { ...whole, cut: 'length' },
  'length-in-call': { ...whole, calls: calls.slice(0, 1), cut: 'length' },
  'empty-answer': { end: 'answer' },
  'reasoning-only': { end: 'answer', thought: 'Hm hm.' },
  'lone-surrogate': { ...whole, text: 'one \ud83ctwo three' },
  // Arguments that are no JSON object reach the tool as an error, which the model reads.
  'doubled-pieces': made('{"a{"at":t":1}1}', '{"a{"at":t":2}2}'),
  'malformed-arguments': made('{"at":1', '{"at":2'),
  'arguments-null': made('{}', '{}'),
  'arguments-encoded-twice': made('"{\\"at\\":1}"', '"{\\"at\\":2}"'),
  'error-with-200': nothing,
  'http-error-html': fails('502: 502 Bad Gateway'),
  'http-error-empty': fails('500: Internal Server Error, without a reason'),
  'http-error-detail-list': fails('422: body.field: the engine is on fire'),
  'http-error-list': fails('400: the engine is on fire'),
  'rate-limited': fails('429: too many requests'),
  overloaded: fails('529: Overloaded'),
  'http-error-context': fails(
    "400: This model's maximum context length is 4096 tokens, but the request has 5000 tokens. (the conversation is too long for this model: begin a new session, or use a model with a longer context)",
  ),
}
const ofProtocol = (found: Outcome | Record<Name, Outcome>, protocol: Name): Outcome =>
  'end' in found ? found : found[protocol]
const expectedOf = ({ name }: Fault, protocol: Name): Outcome => {
  const found = streamed[name]
  if (found !== undefined) return ofProtocol(found, protocol)
  if (name.startsWith('http-error')) return fire
  return name.startsWith('error-in-stream') ? lostEarly : whole
}

/** Waits before another try are short here; how long an endpoint may be silent is measured all the same. */
const quick = (() => {
  const { after, every } = realWorld().timers
  return { every, after: (ms: number, job: () => void) => after(Math.ceil(ms / 50), job) }
})()
const thinking = { inference_args: { thinking: { type: 'enabled', budget_tokens: 1024 } } }
/** These need more time than others to say all. */
const slow = ['slow', 'byte-by-byte']

const play = async (protocol: Name, { name }: Fault, stream: 'on' | 'off'): Promise<Outcome> => {
  const model = await startFakeModel({ answers: [{ ...answer, fault: name }] })
  const { said, end } = await stepAt(`${model.url}/v1/${protocol}`, slow.includes(name) ? 60_000 : 5000, {
    request: protocol === 'messages' ? thinking : {},
    switches: { stream },
    timers: quick,
  })
  await model.close()
  return outcomeOf(said, end)
}
const has = ({ protocols }: Fault, protocol: Name): boolean => protocols?.includes(protocol) ?? true

/** All are played at once, since most of the time goes by while an endpoint says nothing. */
const playAll = (own: Fault[], protocol: Name, stream: 'on' | 'off'): Promise<Outcome[]> =>
  Promise.all(own.map(fault => play(protocol, fault, stream)))

const playsStreams = async (t: Test, protocol: Name) => {
  const own = faults.filter(fault => has(fault, protocol) && fault.only !== 'whole')
  t.ok(own.length > 50)
  const outcomes = await playAll(own, protocol, 'on')
  for (const [n, fault] of own.entries()) t.same(outcomes[n], expectedOf(fault, protocol), fault.name)
}

/** What a step makes of an answer that is not streamed. */
const wholes: Record<string, Outcome | Record<Name, Outcome>> = {
  'cut-in-body': nothing,
  'close-in-body': nothing,
  'cut-at-once': nothing,
  'hang-at-once': nothing,
  'no-usage': whole,
  'usage-null': whole,
  length: {
    // The arguments of the last call are an object, of which the end may be missing.
    messages: { ...whole, calls: calls.slice(0, 1), cut: 'length' },
    responses: { ...whole, cut: 'length' },
  },
  'content-filter': { end: 'correct', ...said, cut: 'content_filter' },
  'split-characters': whole,
}
for (const protocol of ['messages', 'responses'] as const) {
  t.test(`${protocol}: streams`, t => playsStreams(t, protocol))
  t.test(`${protocol}: answers that are not streamed`, async t => {
    const own = faults.filter(({ name }) => name in wholes)
    t.equal(own.length, Object.keys(wholes).length)
    const outcomes = await playAll(own, protocol, 'off')
    for (const [n, { name }] of own.entries()) {
      t.same(outcomes[n], ofProtocol(wholes[name] as Outcome, protocol), name)
    }
  })
}
