// Streams that end too early, too late or never.
import t from 'tap'
import { ends } from '../../../src/fake-model/faults/ends.ts'
import { type ProtocolName, protocolNames } from '../../../src/fake-model/protocols/protocol.ts'
import { dataOf, fold, type Whole } from '../support.ts'
import { argumentsOf, play, type Seen } from './support.ts'

/** How much of the sample arrives: nothing, some reasoning, some text, a call without arguments, half of a call, all. */
const parts: Record<string, (whole: Whole) => boolean> = {
  nothing: ({ reasoning, text, calls }) => reasoning + text === '' && calls.length === 0,
  'some reasoning': ({ reasoning, text }) => reasoning === 'let ' && text === '',
  'some text': ({ text, calls }) => text === 'hello ' && calls.length === 0,
  'a name': ({ calls }) => calls.length === 1 && calls[0]?.arguments === '',
  'half a call': ({ calls }) =>
    calls.length === 1 && calls[0]?.arguments !== '' && calls[0]?.arguments !== argumentsOf[0],
  all: ({ text, calls }) =>
    text === 'hello wörld 😀' && calls.map(call => call.arguments).join() === argumentsOf.join(),
}
type Outcome = [part: string, end: Seen['end'], finished: boolean, closed: boolean, until?: RegExp]
const outcomes: Record<string, Outcome> = {
  'cut-in-call': ['half a call', 'close', false, false],
  'cut-before-arguments': ['a name', 'close', false, false],
  'break-in-call': ['half a call', 'break', false, false],
  'cut-in-text': ['some text', 'break', false, false],
  'close-in-text': ['some text', 'close', false, false],
  'cut-in-reasoning': ['some reasoning', 'break', false, false],
  'cut-at-once': ['nothing', 'break', false, false],
  'close-without-done': ['all', 'close', true, false],
  'close-without-finish': ['all', 'close', false, false],
  'done-without-finish-reason': ['all', 'close', false, true],
  'stays-open-after-finish': ['all', 'open', true, false, /"(tool_calls|tool_use|completed)"[\s\S]*\n\n$/],
  'stays-open-after-done': ['all', 'open', true, true, /DONE|message_stop/],
  'hang-at-once': ['nothing', 'open', false, false, /^$/],
  'hang-in-text': ['some text', 'open', false, false, /hello /],
  'hang-in-call': ['half a call', 'open', false, false, /"(arguments|partial_json|delta)":"[^"]*\{\\"/],
  'comments-only': ['nothing', 'open', false, false, /^(: keep-alive\n\n){2}$/],
  'comments-after-text': ['some text', 'open', false, false, /hello [\s\S]*\n\n(: keep-alive\n\n){2}$/],
  'pings-only': ['nothing', 'open', false, false, /message_start[\s\S]*(event: ping\n[\s\S]*){2}/],
}
/** In Responses the event that says why a stream finished is also its last one. */
const inResponses: Record<string, Partial<{ finished: boolean; closed: boolean }>> = {
  'close-without-done': { finished: false },
  'stays-open-after-finish': { closed: true },
}

for (const { name, protocols = protocolNames, only } of ends) {
  if (only === 'whole') continue
  const [part = '', end, finished, closed, until] = outcomes[name] ?? []
  for (const protocol of protocols) {
    t.test(`${name} in ${protocol}: ${part} arrives, and then ${end}`, async t => {
      const seen = await play(t, name, { protocol, ...(until === undefined ? {} : { until }) })
      t.equal(seen.end, end)
      const whole = fold[protocol as ProtocolName](seen.text)
      t.ok(parts[part]?.(whole), `${part}: ${JSON.stringify(whole)}`)
      const expected = { finished, closed, ...(protocol === 'responses' ? inResponses[name] : {}) }
      t.same({ finished: whole.end !== null, closed: whole.closed }, expected)
    })
  }
}

t.test('a body that is not streamed is cut in its middle, or ends there', async t => {
  for (const [fault, end] of [
    ['cut-in-body', 'break'],
    ['close-in-body', 'close'],
  ] as const) {
    const seen = await play(t, fault, { stream: false })
    t.equal(seen.end, end)
    t.match(seen.text, /^\{"id"/)
    t.throws(() => JSON.parse(seen.text))
  }
})

t.test('a fault that finds nothing to change leaves the answer as it is', async t => {
  for (const fault of ['cut-in-call', 'hang-in-call', 'break-in-call']) {
    const seen = await play(t, fault, { answer: { text: 'no call' } })
    t.equal(seen.end, 'close')
    t.equal(dataOf(seen.text).at(-1), '[DONE]')
  }
})
