// Errors in every form, instead of an answer and in the middle of one.
import t from 'tap'
import { errors } from '../../../src/fake-model/faults/errors.ts'
import { protocolNames } from '../../../src/fake-model/protocols/protocol.ts'
import { eventsOf } from '../support.ts'
import { play } from './support.ts'

const words = 'the engine is on fire'
const json = 'application/json'
/** Instead of an answer: the status, the media type, and what the body is. */
const instead: Record<string, [status: number, type: string | undefined, body: RegExp | object]> = {
  'error-with-200': [200, json, { error: { message: words } }],
  'http-error-text': [500, 'text/plain', /^the engine is on fire$/],
  'http-error-html': [502, 'text/html', /<h1>the engine is on fire<\/h1>/],
  'http-error-empty': [500, undefined, /^$/],
  'http-error-detail': [500, json, { detail: words }],
  'http-error-detail-list': [422, json, { detail: [{ loc: ['body', 'field'], msg: words }] }],
  'http-error-message': [500, json, { message: words }],
  'http-error-text-in-error': [500, json, { error: words }],
  'http-error-nested': [500, json, { error: { message: `{"error":{"message":"${words}"}}` } }],
  'http-error-list': [400, json, [{ error: { code: 400, message: words } }]],
  'http-error-context': [400, json, { error: { code: 'context_length_exceeded' } }],
  overloaded: [529, json, { type: 'error', error: { type: 'overloaded_error' } }],
}
/** In the middle of a stream: the last events, or the last bytes. */
const inStream: Record<string, RegExp> = {
  'error-in-stream-text': /\n\ndata: \{"error":"the engine is on fire"\}\n\n$/,
  'error-in-stream-detail': /\n\ndata: \{"detail":"the engine is on fire"\}\n\n$/,
  'error-in-stream-message': /\n\ndata: \{"object":"error","message":"the engine is on fire",.*\}\n\n$/,
  'error-in-stream-then-done': /\n\ndata: \{"error":\{"message":.*\}\}\n\ndata: \[DONE\]\n\n$/,
  'error-in-stream-event': /\n\nevent: error\ndata: \{"message":.*\}\n\n$/,
  'error-in-stream-field': /\n\nerror: \{"code":500,.*\}\n\n$/,
  'error-in-stream-plain': /\n\ndata: the engine is on fire\n\n$/,
}
const own: Record<string, object> = {
  chat: { error: { message: words } },
  messages: { type: 'error', error: { type: 'overloaded_error', message: words } },
  responses: { type: 'error', message: words },
}

for (const [name, [status, type, body]] of Object.entries(instead)) {
  t.test(`${name}: the status ${status} comes instead of an answer`, async t => {
    for (const stream of [true, false]) {
      const seen = await play(t, name, { stream })
      t.same([seen.status, seen.type], [status, type])
      t.match(body instanceof RegExp ? seen.text : JSON.parse(seen.text), body)
    }
  })
}
for (const [name, bytes] of Object.entries(inStream)) {
  t.test(`${name}: after the first piece it comes`, async t => {
    for (const protocol of protocolNames) {
      const { status, text, end } = await play(t, name, { protocol, answer: { text: 'hello you' } })
      t.same([status, end], [200, 'close'])
      t.match(text, /hello /)
      t.notMatch(text, /you"/)
      t.match(text, bytes)
    }
  })
}
t.test('error-in-stream and http-error have the form of each protocol', async t => {
  for (const protocol of protocolNames) {
    const answer = { text: 'hello you' }
    const { event, data } = eventsOf((await play(t, 'error-in-stream', { protocol, answer })).text).at(
      -1,
    ) ?? {
      data: '',
    }
    t.equal(event, protocol === 'chat' ? undefined : 'error')
    t.match(JSON.parse(data), own[protocol])
    const { status, text } = await play(t, 'http-error', { protocol })
    t.equal(status, 500)
    const error = protocol === 'messages' ? { type: 'api_error', message: words } : { message: words }
    t.match(JSON.parse(text), { error })
  }
})
t.test('error-in-stream-choice: the error is a chunk with a reason to finish', async t => {
  const { text } = await play(t, 'error-in-stream-choice')
  const [error, done] = eventsOf(text).slice(-2)
  t.match(JSON.parse(error?.data ?? ''), { error: { code: 502 }, choices: [{ finish_reason: 'error' }] })
  t.equal(done?.data, '[DONE]')
})
t.test('rate-limited: the client is told when it may come again', async t => {
  const { status, retryAfter } = await play(t, 'rate-limited')
  t.same([status, retryAfter], [429, '1'])
})
t.test('each fault of this kind is tested here', async t => {
  const tested = [
    ...Object.keys(instead),
    ...Object.keys(inStream),
    ...['error-in-stream', 'http-error', 'error-in-stream-choice', 'rate-limited'],
  ]
  t.same(errors.map(({ name }) => name).sort(), tested.sort())
})
