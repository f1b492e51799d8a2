// The kind: half answers count as answers, and whole ones are thrown away. Text is whole after [DONE], an end reason or
// an orderly end of the stream; calls run only after [DONE] or an end reason, and only with arguments that parse.
import t from 'tap'
import { sse } from '../../agents/streams/replay.ts'
import { delta } from '../../support/fake-model.ts'
import { breaks, plays, stays, stream } from './outcome.ts'

const text = sse(delta({ content: 'hello' }))
const thought = sse(delta({ reasoning_content: 'hm' }))
const piece = (fields: object) => sse(delta({ tool_calls: [{ index: 0, ...fields }] }))
const name = piece({ id: 'c', function: { name: 'look', arguments: '' } })
const half = piece({ function: { arguments: '{"at":' } })
const rest = piece({ function: { arguments: '1}' } })
const ended = (reason: string) => sse(delta({}, reason))
const done = sse('[DONE]')
const usage = sse({ choices: [], usage: { prompt_tokens: 3, completion_tokens: 2 } })
const said = { end: 'answer', text: 'hello' }
const called = { end: 'continue', calls: ['look {"at":1}'] }

t.test('text', t =>
  plays(t, {
    'with an end reason and [DONE]': [stream(text, ended('stop'), done), said],
    'with [DONE] and no end reason': [stream(text, usage, done), said],
    'with an end reason and no [DONE]': [stream(text, ended('stop')), said],
    'with an orderly end alone': [stream(text), said],
    'with an empty end reason in each chunk': [stream(sse(delta({ content: 'hello' }, '')), done), said],
    'that breaks after its end reason': [breaks(text, ended('stop')), said],
    'that breaks before it': [breaks(text), { end: 'again', text: 'hello' }],
    'that never was, and [DONE]': [stream(done), { end: 'again' }],
    'that never was, and nothing': [stream(': hello\n\n'), { end: 'again' }],
    'that has only thoughts, and an orderly end': [stream(thought), { end: 'answer', thought: 'hm' }],
    'with garbage after its end reason': [stream(text, ended('stop'), 'data: {"x\n\n'), said],
    'with an end reason that nobody knows': [stream(text, ended('tired'), done), said],
  }),
)

t.test('calls', t =>
  plays(t, {
    'with an end reason': [stream(name, half, rest, ended('tool_calls')), called],
    'with the end reason stop': [stream(name, half, rest, ended('stop'), done), called],
    'with [DONE] and no end reason': [stream(name, half, rest, done), called],
    'with an orderly end alone': [stream(name, half, rest), { end: 'again' }],
    'that end before their arguments': [stream(name), { end: 'again' }],
    'that end in their arguments': [stream(name, half), { end: 'again' }],
    'that end in their arguments after a text': [stream(text, name, half), { end: 'again', text: 'hello' }],
    'that break after the last piece': [breaks(name, half, rest), { end: 'again' }],
    'that break after their end reason': [breaks(name, half, rest, ended('tool_calls')), called],
    'without arguments, that say they are whole': [
      stream(name, ended('tool_calls')),
      { end: 'continue', calls: ['look {}'] },
    ],
    'without a name': [stream(half, rest, ended('tool_calls')), { end: 'again' }],
  }),
)

t.test('connections that stay open', t =>
  plays(
    t,
    {
      'after [DONE]': [stays([text, ended('stop'), done]), said],
      'after an end reason': [stays([text, ended('stop')]), said],
      'after the end reason of a call': [stays([name, half, rest, ended('tool_calls')]), called],
      'after an end reason, with comments': [stays([text, ended('stop')], ': keep-alive\n\n'), said],
      'after a text': [stays([text]), { end: 'again', text: 'hello' }],
      'in a call': [stays([name, half]), { end: 'again' }],
    },
    700,
  ),
)
