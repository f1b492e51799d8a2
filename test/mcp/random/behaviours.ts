// How a random server answers a call, and what must become of the call. Whatever comes holds a token, which tells the
// calls apart: a result or a reason must show the token of its own call, and never another.
import { type RawAnswer, result } from '../servers/raw.mjs'
import type { Choose } from './choose.ts'

/**
 * `content`: the call has a result. `failure`: it fails, and the words match. `either`: one of the two. `shows`: whether
 * the token must be shown. `after`: what must happen before the call ends: nothing, some seconds, or the time limit.
 */
export type Expected = {
  end: 'content' | 'failure' | 'either'
  words?: RegExp
  shows: boolean
  after: 'nothing' | 'patience' | 'limit'
}
export type Behaviour = {
  name: string
  on: 'both' | 'place' | 'process'
  /** Whether other calls on the same connection may fail. */
  harms?: true
  make(choose: Choose, token: string): { answer: RawAnswer; expected: Expected }
}

const content = (answer: RawAnswer) => ({
  answer,
  expected: { end: 'content', shows: true, after: 'nothing' } satisfies Expected,
})
const failure = (answer: RawAnswer, words: RegExp, more: Partial<Expected> = {}) => ({
  answer,
  expected: { end: 'failure', words, shows: true, after: 'nothing', ...more } satisfies Expected as Expected,
})

/** Results in which the token is. */
const results: ((token: string) => unknown)[] = [
  token => ({ content: [{ type: 'text', text: token }] }),
  token => ({ content: [{ type: 'text', text: token }], isError: true }),
  token => ({ content: token }),
  token => ({ content: [token, null] }),
  token => ({ content: { text: token } }),
  token => ({ content: null, structuredContent: { token } }),
  token => ({ structuredContent: [token] }),
  token => ({ content: [{ type: 'hologram', token }] }),
  token => ({ content: [{ type: 'text', text: { token } }] }),
  token => ({ content: [{ type: 'resource', resource: { text: token, uri: null } }] }),
  token => ({ content: [{ type: 'resource_link', uri: `https://x.example/${token}` }] }),
  token => ({ content: [{ type: 'image', data: null, mimeType: token }] }),
  token => ({ toolResult: token, isError: null }),
  token => ({ odd: token }),
  token => token,
  token => [token, { text: '' }],
]
const resultFor = (choose: Choose, token: string): string => result(choose.one(results)(token))
const pretty = (text: string): string => JSON.stringify(JSON.parse(text), null, 2)

/** Other forms of the text of an answer, that can be read. */
const forms: Record<string, (choose: Choose, text: string) => string> = {
  'as the protocol wants it': (_, text) => `${text}\n`,
  'in many lines': (_, text) => `${pretty(text)}\n`,
  'in many lines without an end': (_, text) => pretty(text),
  'without an end': (_, text) => text,
  'after words': (choose, text) =>
    `${choose.one(['progress 10%... ', '[INFO] ', '> ', '\u001b[1m', '\uFEFF'])}${text}\n`,
  'before words': (choose, text) => `${text}${choose.one([' done', '}', ' {', '\u001b[0m', '\r'])}\n`,
  'after noise': (choose, text) =>
    `${choose.one(['listening {port', 'don"t { panic', '[1/3', '{"level":"info"}', '{"jsonrpc":"2.0"', '[]'])}\n${text}\n`,
  'after a notification': (_, text) => `{"jsonrpc":"2.0","method":"notifications/odd"}\n${text}\n`,
  'after a request': (_, text) => `{"jsonrpc":"2.0","id":"a","method":"ping"}\n${text}\n`,
  'after an echo': (_, text) => `{"jsonrpc":"2.0","id":"$id","method":"tools/call","params":{}}\n${text}\n`,
  'in a list': (_, text) => `[${text}]\n`,
  'with NaN': (_, text) => `${text.replace(/}$/, ',"more":[NaN,-Infinity]}')}\n`,
  'with an id that is a text': (_, text) => `${text.replace('"$id"', '"$text"')}\n`,
  'without a version': (_, text) => `${text.replace('"jsonrpc":"2.0",', '')}\n`,
  'of another version': (_, text) => `${text.replace('"2.0"', '"1.0"').replace(/}$/, ',"error":null}')}\n`,
  twice: (_, text) => `${text}\n${text}\n`,
}

/** Cuts after the last id, which is filled in later. */
const inPieces = (choose: Choose, text: string): string[] => {
  const from = text.lastIndexOf('"$') + '"$other"'.length
  const at = from + choose.below(Math.max(1, text.length - from))
  return choose.chance(0.3) ? [text.slice(0, at), text.slice(at)] : [text]
}

const asBody = (choose: Choose, text: string): RawAnswer => ({
  writes: inPieces(choose, text),
  waitMs: choose.below(60),
  status: choose.one([200, 200, 200, 201, 202]),
  headers: choose.one<Record<string, string>>([
    { 'content-type': 'application/json' },
    { 'content-type': 'text/plain' },
    { 'content-type': 'text/event-stream' },
    {},
  ]),
})
const asEvents = (choose: Choose, text: string): RawAnswer => {
  const end = choose.one(['\n', '\r\n', '\r'])
  const data = text.trimEnd().split('\n')
  const lines = data.map((line, n) =>
    n > 0 && choose.chance(0.2) ? line : `data:${choose.one(['', ' '])}${line}`,
  )
  const noise = choose.one(['', ': hi', `:${end}${end}: ping`, 'event: odd', `data:${end}`, 'retry: 5000'])
  const event = [noise, ...lines].filter(line => line !== '').join(end)
  const rest = choose.one([`${end}${end}`, end, '', `${end}${end}data: [DONE]${end}${end}`])
  return { ...asBody(choose, `${event}${rest}`), status: 200 }
}

const readable = Object.entries(forms).flatMap(([name, form]): Behaviour[] => [
  {
    name: `a result ${name}`,
    on: 'both',
    make: (choose, token) => content(asBody(choose, form(choose, resultFor(choose, token)))),
  },
  {
    name: `an event with a result ${name}`,
    on: 'place',
    make: (choose, token) => content(asEvents(choose, form(choose, resultFor(choose, token)))),
  },
])

/** Errors in which the token is. */
const errors: ((token: string) => unknown)[] = [
  token => ({ code: -32000, message: token }),
  token => ({ code: 'ENOENT', message: token }),
  token => ({ code: '-32603', message: null, data: token }),
  token => ({ code: null, message: 'Internal error', data: { detail: token } }),
  token => ({ message: { text: 'x', message: token } }),
  token => ({ error: token }),
  token => ({ odd: token }),
  token => token,
  token => [token],
]
const errorText = (choose: Choose, token: string): string =>
  `{"jsonrpc":"2.0","id":"$id","error":${JSON.stringify(choose.one(errors)(token))}}`

const refusals: ((token: string) => string)[] = [
  token => `{"error":{"message":"${token}"}}`,
  token => `{"detail":[{"msg":"${token}"}]}`,
  token => `{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"${token}"}}`,
  token => `<html><title>${token}</title>`,
  token => token,
]

/** Answers that cannot be read, but can be given to their calls. */
const broken: ((token: string) => string)[] = [
  token => `{'jsonrpc': '2.0', 'id': "$id", 'result': '${token}'}\n`,
  token => `{"jsonrpc":"2.0","id":"$id","result":{"a":undefined,"b":"${token}"}}\n`,
  token => `{"jsonrpc":"2.0","id":"$id","result":{"${token}":1,}}\n`,
]

export const behaviours: Behaviour[] = [
  ...readable,
  {
    name: 'an error',
    on: 'both',
    make: (choose, token) => failure(asBody(choose, `${errorText(choose, token)}\n`), /answered: /),
  },
  {
    name: 'an event with an error',
    on: 'place',
    make: (choose, token) => failure(asEvents(choose, errorText(choose, token)), /answered: /),
  },
  {
    name: 'a refusal',
    on: 'place',
    make: (choose, token) => {
      const status = choose.one([400, 401, 403, 409, 418, 422, 429, 500, 502, 503])
      return failure(
        { status, writes: [choose.one(refusals)(token)] },
        new RegExp(`answered with HTTP ${status}: `),
      )
    },
  },
  {
    name: 'a text that cannot be read',
    on: 'both',
    make: (choose, token) =>
      failure(asBody(choose, choose.one(broken)(token)), /sent an answer that cannot be read: /),
  },
  {
    name: 'a page',
    on: 'place',
    make: (choose, token) =>
      failure({ ...asBody(choose, `<p>${token}</p>`), status: 200 }, /sent an answer that cannot be read: /),
  },
  {
    name: 'nothing',
    on: 'place',
    make: choose =>
      failure({ status: choose.one([200, 202, 204]) }, /answered with HTTP 20\d and no content/, {
        shows: false,
      }),
  },
  {
    name: 'another id',
    on: 'both',
    make: (choose, token) => ({
      answer: asBody(
        choose,
        `${resultFor(choose, token).replace('"$id"', choose.one(['"$other"', 'null']))}\n`,
      ),
      expected: {
        end: 'either',
        words: /sent answers whose ids are not those/,
        shows: true,
        after: 'nothing',
      },
    }),
  },
  {
    name: 'the beginning of an answer',
    on: 'both',
    make: (choose, token) => {
      const text = result({ content: [{ type: 'text', text: `${token} and so on` }] })
      const cut = text.slice(0, Math.min(text.indexOf('result') + choose.below(70), text.length - 1))
      const answer = {
        ...asBody(choose, `${cut}${choose.one(['', '\n'])}`),
        end: choose.one(['keep', 'break'] as const),
      }
      return failure(answer, /sent an answer that cannot be read: /, { shows: false, after: 'patience' })
    },
  },
  {
    name: 'an end',
    on: 'both',
    harms: true,
    make: () => failure({ end: 'die' }, /closed the connection|broke its answer off/, { shows: false }),
  },
  {
    name: 'an answer and an end',
    on: 'process',
    harms: true,
    make: (choose, token) => content({ writes: [`${resultFor(choose, token)}\n`], end: 'die' }),
  },
  {
    name: 'silence',
    on: 'both',
    harms: true,
    make: () => failure({ silent: true }, /did not answer in 600 s/, { shows: false, after: 'limit' }),
  },
]
