// The kind: the reason of an error is lost, or told as "undefined" or "[object Object]". Each form in which endpoints
// give a reason is read, with an error status, in a stream, and as a whole answer.
import t from 'tap'
import { createCompletionsReader } from '../../../src/agents/model/completions-reader.ts'
import { type Played, replay, sse, stepAt } from '../../agents/streams/replay.ts'
import { delta } from '../../support/fake-model.ts'
import { outcomeOf } from './outcome.ts'

const nested = (error: object) => JSON.stringify(error)
/** Bodies, and the reason in them. */
const bodies: Record<string, [body: unknown, reason: string]> = {
  'an object': [{ error: { message: 'too hot', type: 'server_error', code: 500 } }, 'too hot'],
  'a text': [{ error: 'too hot' }, 'too hot'],
  'JSON in a text': [{ error: { message: nested({ error: { message: 'too hot' } }) } }, 'too hot'],
  'JSON in JSON in a text': [
    { error: nested({ message: nested({ error: { message: 'too hot' } }) }) },
    'too hot',
  ],
  'a list': [[{ error: { code: 400, message: 'too hot', status: 'INVALID_ARGUMENT' } }], 'too hot'],
  'a list of errors': [{ errors: [{ message: 'too hot' }, { message: 'too dry' }] }, 'too hot; too dry'],
  'a detail': [{ detail: 'too hot' }, 'too hot'],
  'details of FastAPI': [
    { detail: [{ loc: ['body', 'n'], msg: 'too hot', type: 'value_error' }] },
    'body.n: too hot',
  ],
  'a detail that is an object': [{ detail: { error: { message: 'too hot' } } }, 'too hot'],
  'a message': [{ message: 'too hot' }, 'too hot'],
  'a message of vLLM': [
    { object: 'error', message: 'too hot', type: 'BadRequestError', param: null, code: 400 },
    'too hot',
  ],
  'a message in a list': [{ message: ['too hot', 'too dry'] }, 'too hot; too dry'],
  'a message of AWS': [{ Message: 'too hot' }, 'too hot'],
  'a reason': [{ error: { reason: 'too hot' } }, 'too hot'],
  'the endpoint behind a router': [
    {
      error: {
        message: 'Provider returned error',
        code: 429,
        metadata: { raw: nested({ error: { message: 'too hot' } }), provider_name: 'X' },
      },
    },
    'Provider returned error: too hot',
  ],
  'the endpoint behind a router, in words': [
    { error: { message: 'Provider returned error', metadata: { raw: 'too hot' } } },
    'Provider returned error: too hot',
  ],
  'a code alone': [{ error: { code: 'too_hot' } }, 'too_hot'],
  'a type alone': [{ error: { type: 'too_hot', message: '' } }, 'too_hot'],
  'a number': [{ error: 1302 }, '1302'],
  'an error without words': [{ error: {} }, ''],
  'an error that is true': [{ error: true }, ''],
  'a message that is null': [{ error: { message: null, code: null } }, ''],
  'a message that is an object': [{ error: { message: { text: 'too hot' } } }, 'too hot'],
  'a title and a detail of RFC 9457': [
    { type: 'about:blank', title: 'Bad Request', status: 400, detail: 'too hot' },
    'too hot',
  ],
  'a title alone': [{ title: 'too hot', status: 400 }, 'too hot'],
  'a description of OAuth': [
    { error: 'invalid_grant', error_description: 'too hot' },
    'invalid_grant: too hot',
  ],
  'a code and a message of a gateway': [{ code: 'E1', msg: 'too hot', success: false }, 'too hot'],
  'a kind, and the reason beside it': [
    { statusCode: 400, error: 'Bad Request', message: 'too hot' },
    'Bad Request: too hot',
  ],
  'the same words twice': [{ error: 'too hot', message: 'too hot' }, 'too hot'],
  'other names of fields': [{ error_msg: 'too hot', error_code: 17 }, 'too hot'],
}
const texts: Record<string, [body: string, reason: string]> = {
  words: ['too hot\n', 'too hot'],
  'a page': ['<html><head><title>too hot</title><style>x{}</style></head><body>x</body></html>', 'too hot'],
  'a page without a title': ['<p>too <b>hot</b></p>', 'too hot'],
  'half of JSON': ['{"error":{"message":"too h', '{"error":{"message":"too h'],
  'a text in quotes': ['"too hot"', 'too hot'],
  nothing: ['', 'Bad Request, without a reason'],
  blanks: [' \n', 'Bad Request, without a reason'],
  'an empty object': ['{}', '{}'],
  null: ['null', 'null'],
}

/** The message with which a step fails, or for which it asks again. */
const messageOf = async (baseUrl: string) => {
  const { said, end } = await stepAt(baseUrl)
  const { text } = outcomeOf(said, end)
  return { end: end.end, text, message: end.end === 'fail' ? end.error.message : undefined }
}
const isClear = /^(?!.*(undefined|\[object|: *$)).*/s

t.test('with an error status', async t => {
  let played: Played = { body: [] }
  const { baseUrl } = await replay(t, () => played)
  const json = Object.entries(bodies).map(
    ([name, [body, reason]]) => [name, JSON.stringify(body), reason] as const,
  )
  const all = [
    ...json,
    ...Object.entries(texts).map(([name, [body, reason]]) => [name, body, reason] as const),
  ]
  for (const [name, body, reason] of all) {
    for (const type of ['application/json', 'text/html', 'text/event-stream']) {
      played = { body: [body], status: 400, headers: { 'content-type': type } }
      const { end, message = '' } = await messageOf(baseUrl)
      t.equal(end, 'fail', name)
      if (reason !== '') t.equal(message, `the model's endpoint answered 400: ${reason}`, name)
      else t.match(message, /answered 400: ./, name)
      t.match(message, isClear, name)
    }
  }
})

t.test('in a stream and as a whole answer', async t => {
  const text = sse(delta({ content: 'so far' }))
  let played: Played = { body: [] }
  const { baseUrl } = await replay(t, () => played)
  /** Fields that say nothing of an error in a message that is no answer. */
  const isTold = (body: unknown) =>
    !Array.isArray(body) && ['error', 'object', 'detail', 'message'].some(name => name in (body as object))
  for (const [name, [body, reason]] of Object.entries(bodies)) {
    if (!isTold(body)) continue
    const hear = () =>
      createCompletionsReader().hear({ event: undefined, data: body as Record<string, unknown> })
    if (reason === '') t.throws(hear, /failed: ./, name)
    else t.throws(hear, { message: `the model's endpoint failed: ${reason}` }, name)
    for (const event of [
      `data: ${JSON.stringify(body)}\n\n`,
      `event: error\ndata: ${JSON.stringify(body)}\n\n`,
    ]) {
      played = { body: [text, event] }
      t.same(await messageOf(baseUrl), { end: 'again', text: 'so far', message: undefined }, name)
    }
    played = { body: [JSON.stringify(body)], headers: { 'content-type': 'application/json' } }
    t.match((await messageOf(baseUrl)).end, /again|fail/, name)
  }
})

t.test('in the words of the task, after the last try', async t => {
  const forms: Record<string, [body: string, reason: RegExp]> = {
    'an error in an event': [`data: {"error":{"message":"too hot"}}\n\n`, /failed: too hot$/],
    'an event that is named error': ['event: error\ndata: {"message":"too hot"}\n\n', /failed: too hot$/],
    'a field that is named error': ['error: {"message":"too hot"}\n\n', /failed: too hot$/],
    'words in an event': ['data: too hot\n\n', /failed: too hot$/],
    'a page in an event': ['data: <html><title>too hot</title></html>\n\n', /failed: too hot$/],
    'an error in a choice': [
      'data: {"choices":[{"delta":{},"error":{"message":"too hot"}}]}\n\n',
      /failed: too hot$/,
    ],
    'a list in an event': ['data: [{"error":{"message":"too hot"}}]\n\n', /failed: too hot$/],
    'JSON in place of a stream': ['{"error":{"message":"too hot"}}', /failed: too hot$/],
    'a list in place of a stream': ['[{"error":{"message":"too hot"}}]', /failed: too hot$/],
    'nothing in an error': ['data: {"error":{}}\n\n', /failed: it did not say why$/],
  }
  for (const [name, [body, reason]] of Object.entries(forms)) {
    const { baseUrl } = await replay(t, () => ({ body: [body] }))
    const { end } = await stepAt(baseUrl, 5000, { attempt: 3 })
    t.match(end, { end: 'fail', error: { message: reason } }, name)
  }
})
