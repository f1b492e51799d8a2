// Errors in every form in which endpoints tell them: instead of an answer, and in the middle of a stream.
import type { Answer } from '../answer.ts'
import type { Step } from '../frames.ts'
import type { ProtocolName } from '../protocols/protocol.ts'
import { protocols } from '../protocols/protocols.ts'
import { type Fault, upTo } from './fault.ts'

const words = 'the engine is on fire'
const json = { 'content-type': 'application/json' }

const instead = (error: NonNullable<Answer['error']>): NonNullable<Fault['answer']> => {
  return ({ delay_ms }) => ({ error, ...(delay_ms === undefined ? {} : { delay_ms }) })
}
/** An error instead of an answer, with this body. */
const httpError = (
  form: string,
  about: string,
  status: number,
  body: unknown,
  headers: Record<string, string> = json,
): Fault => ({
  name: form === '' ? 'http-error' : `http-error-${form}`,
  about,
  answer: instead({ status, headers, body: typeof body === 'string' ? body : JSON.stringify(body) }),
})

/** An error in the middle of a stream: after the first piece, these frames and the end. */
const inStream = (form: string, about: string, text: string): Fault => ({
  name: `error-in-stream-${form}`,
  about,
  steps: afterFirstPiece(() => [text, { end: 'close' }]),
})
const afterFirstPiece = (end: (protocol: ProtocolName) => Step[]): NonNullable<Fault['steps']> => {
  return (steps, protocol) =>
    upTo(['text', 'reasoning', 'refusal', 'arguments', 'finish'], end(protocol))(steps, protocol)
}
const data = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`

/** An error as each protocol tells it in a stream. */
const ownErrors: Record<ProtocolName, { name?: string; data: object }> = {
  chat: { data: { error: { message: words, type: 'server_error', param: null, code: null } } },
  messages: {
    name: 'error',
    data: { type: 'error', error: { type: 'overloaded_error', message: words } },
  },
  responses: {
    name: 'error',
    data: { type: 'error', sequence_number: 99, code: 'server_error', message: words, param: null },
  },
}

export const errors: Fault[] = [
  {
    name: 'error-in-stream',
    about: 'After the first piece comes an error, as the protocol tells it, and the end.',
    steps: afterFirstPiece(protocol => [{ is: 'raw', ...ownErrors[protocol] }, { end: 'close' }]),
  },
  inStream('text', 'After the first piece comes {"error": "text"}.', data({ error: words })),
  inStream(
    'detail',
    'After the first piece comes {"detail": "text"}, as FastAPI tells errors.',
    data({ detail: words }),
  ),
  inStream(
    'message',
    'After the first piece comes an error as older versions of vLLM tell it: {"object": "error", "message": …}.',
    data({ object: 'error', message: words, type: 'InternalServerError', param: null, code: 500 }),
  ),
  inStream(
    'then-done',
    'After the first piece comes an error as vLLM tells it, and then [DONE].',
    `${data({ error: { message: words, type: 'InternalServerError', param: null, code: 500 } })}data: [DONE]\n\n`,
  ),
  inStream(
    'event',
    'After the first piece comes an event with the name error.',
    `event: error\n${data({ message: words })}`,
  ),
  inStream(
    'field',
    'After the first piece comes a field with the name error, as older versions of llama.cpp sent it.',
    `error: ${JSON.stringify({ code: 500, message: words, type: 'server_error' })}\n\n`,
  ),
  inStream('plain', 'After the first piece come data that are no JSON.', `data: ${words}\n\n`),
  {
    name: 'error-in-stream-choice',
    about: 'After the first piece comes a chunk with an error and the finish_reason error, as of OpenRouter.',
    protocols: ['chat'],
    steps: afterFirstPiece(() => [
      {
        is: 'raw',
        data: {
          object: 'chat.completion.chunk',
          error: { code: 502, message: words },
          choices: [{ index: 0, delta: { content: '' }, finish_reason: 'error' }],
        },
      },
      { is: 'done', data: '[DONE]' },
      { end: 'close' },
    ]),
  },
  {
    name: 'error-with-200',
    about: 'An error as JSON with the status 200, instead of an answer.',
    answer: instead({ status: 200, headers: json, body: JSON.stringify({ error: { message: words } }) }),
  },
  {
    name: 'http-error',
    about: 'The status 500 with an error, as the protocol tells it.',
    answer: instead({ status: 500, message: words }),
  },
  httpError('text', 'The status 500 with a plain text.', 500, words, { 'content-type': 'text/plain' }),
  httpError(
    'html',
    'The status 502 with a page of a proxy.',
    502,
    `<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body><h1>${words}</h1></body>\r\n</html>`,
    { 'content-type': 'text/html' },
  ),
  httpError('empty', 'The status 500 without a body.', 500, '', {}),
  httpError('detail', 'The status 500 with {"detail": "text"}.', 500, { detail: words }),
  httpError('detail-list', 'The status 422 with a list of problems, as FastAPI tells them.', 422, {
    detail: [{ type: 'extra_forbidden', loc: ['body', 'field'], msg: words, input: 1 }],
  }),
  httpError('message', 'The status 500 with {"message": "text"}.', 500, { message: words }),
  httpError('text-in-error', 'The status 500 with {"error": "text"}.', 500, { error: words }),
  httpError('nested', 'The status 500 with an error whose message is JSON with an error.', 500, {
    error: { message: JSON.stringify({ error: { message: words } }), code: 500 },
  }),
  httpError('list', 'The status 400 with a list that has one error, as of Gemini.', 400, [
    { error: { code: 400, message: words, status: 'INVALID_ARGUMENT' } },
  ]),
  {
    name: 'rate-limited',
    about: 'The status 429 with Retry-After: 1.',
    answer: instead({ status: 429, message: 'too many requests', headers: { 'retry-after': '1' } }),
  },
  {
    name: 'overloaded',
    about: 'The status 529, as Anthropic tells that it is overloaded.',
    answer: instead({
      status: 529,
      headers: json,
      body: JSON.stringify(protocols.find(({ name }) => name === 'messages')?.error(529, 'Overloaded')),
    }),
  },
  httpError('context', 'The status 400: the request is longer than the context of the model.', 400, {
    error: {
      message: "This model's maximum context length is 4096 tokens, but the request has 5000 tokens.",
      type: 'invalid_request_error',
      param: 'messages',
      code: 'context_length_exceeded',
    },
  }),
]
