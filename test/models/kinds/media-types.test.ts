// The kind: an answer is refused for its media type or for the bytes around its messages. What the bytes are tells more
// than the header.
import t from 'tap'
import { type Played, sse } from '../../agents/streams/replay.ts'
import { delta } from '../../support/fake-model.ts'
import { type Outcome, plays } from './outcome.ts'

const text = sse(delta({ content: 'hello' }), delta({}, 'stop'), '[DONE]')
const whole = JSON.stringify({
  choices: [{ index: 0, message: { role: 'assistant', content: 'hello' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 1, completion_tokens: 1 },
})
const message = (fields: object, finish_reason = 'stop') =>
  JSON.stringify({ choices: [{ message: fields, finish_reason }] })
const said: Outcome = { end: 'answer', text: 'hello' }
const typed = (body: string | string[], type?: string): Played => ({
  body: [body].flat(),
  headers: type === undefined ? {} : { 'content-type': type },
})
const types = [
  'text/event-stream',
  'TEXT/EVENT-STREAM; Charset=UTF-8',
  'application/json',
  'text/plain',
  'text/html',
  'application/octet-stream',
  'application/x-ndjson',
  'nonsense',
]

t.test('media types', t =>
  plays(t, {
    ...Object.fromEntries(types.map(type => [`a stream as ${type}`, [typed(text, type), said]])),
    ...Object.fromEntries(types.map(type => [`a whole answer as ${type}`, [typed(whole, type), said]])),
    'a stream without a type': [typed(text), said],
    'a whole answer without a type': [typed(whole), said],
  }),
)

const stream = 'text/event-stream'
const lines = (text: string, end: string) => text.replaceAll('\n', end)
t.test('bytes of streams', t =>
  plays(t, {
    'a mark before it': [typed(`\uFEFF${text}`, stream), said],
    'a mark in three pieces before it': [
      {
        body: [...Buffer.from('\uFEFF')].map(byte => Buffer.of(byte)).concat(Buffer.from(text)),
        headers: { 'content-type': stream },
      },
      said,
    ],
    'blank lines before it': [typed(`\n\r\n\n${text}`, stream), said],
    'blanks before it': [typed(`  ${text}`, stream), said],
    'a comment before it': [typed(`: hello\n\n${text}`, stream), said],
    'lines that end with CR and LF': [typed(lines(text, '\r\n'), stream), said],
    'lines that end with CR': [typed(lines(text, '\r'), stream), said],
    'CR and LF in two pieces': [typed(lines(text, '\r\n').split(/(?<=\r)/), stream), said],
    'no space after the colon': [typed(text.replaceAll('data: ', 'data:'), stream), said],
    'two spaces after the colon': [typed(text.replaceAll('data: ', 'data:  '), stream), said],
    'one line end between events': [typed(text.replaceAll('\n\n', '\n'), stream), said],
    'three line ends between events': [typed(text.replaceAll('\n\n', '\n\n\n'), stream), said],
    'events with names and ids': [
      typed(text.replaceAll('data: ', 'event: message\nid: 1\ndata: '), stream),
      said,
    ],
    'a retry before it': [typed(`retry: 3000\n\n${text}`, stream), said],
    'no end of its last line': [typed(text.trimEnd(), stream), said],
    'no [DONE], and no end of its last line': [
      typed(sse(delta({ content: 'hello' }, 'stop')).trimEnd(), stream),
      said,
    ],
    'a whole message in an event': [typed(`data: ${whole}\n\ndata: [DONE]\n\n`, stream), said],
  }),
)

const chunks = [delta({ content: 'hel' }), delta({ content: 'lo' }), delta({}, 'stop')].map(chunk =>
  JSON.stringify(chunk),
)
t.test('whole answers', t =>
  plays(t, {
    'a mark before it': [typed(`\uFEFF${whole}`, 'application/json'), said],
    'blanks around it': [typed(` \n${whole}\n\n`, 'application/json'), said],
    'blanks first, while it is made': [typed([' ', '\n', ' ', whole], 'application/json'), said],
    'in many pieces': [typed([...whole], 'application/json'), said],
    'in a list': [typed(`[${whole}]`, 'application/json'), said],
    pretty: [typed(JSON.stringify(JSON.parse(whole), undefined, 2), 'application/json'), said],
    calls: [
      typed(
        message(
          {
            content: null,
            tool_calls: [{ id: 'c', type: 'function', function: { name: 'look', arguments: '{"at":1}' } }],
          },
          'tool_calls',
        ),
      ),
      { end: 'continue', calls: ['look {"at":1}'] },
    ],
    reasoning: [typed(message({ content: 'hello', reasoning_content: 'hm' })), { ...said, thought: 'hm' }],
    'one that is cut': [typed(message({ content: 'hello' }, 'length')), { ...said, cut: 'length' }],
    'half of one': [typed(whole.slice(0, -20), 'application/json'), { end: 'again' }],
    'lines of JSON': [typed(chunks.join('\n'), 'application/x-ndjson'), said],
    'lines of JSON, with an end': [typed(`${chunks.join('\n')}\n`, 'application/x-ndjson'), said],
    'lines of JSON in pieces': [typed([...`${chunks.join('\r\n')}\r\n`], 'application/x-ndjson'), said],
    'lines of JSON with half a call': [
      typed(
        [
          chunks[0],
          JSON.stringify(delta({ tool_calls: [{ index: 0, function: { name: 'look', arguments: '{"a' } }] })),
        ].join('\n'),
      ),
      { end: 'again', text: 'hel' },
    ],
    'a line of JSON that is cut': [typed(`${chunks.join('\n')}\n{"choi`), { end: 'again' }],
    'lines of JSON and [DONE]': [typed(`${chunks.join('\n')}\n[DONE]\n`, 'application/json'), said],
  }),
)
