// The kind: calls are put together wrongly from the pieces in which they come. A piece belongs to the call that a careful
// reader would take, whatever the endpoint does with numbers, ids and names.
import t from 'tap'
import { createCalls } from '../../../src/agents/model/calls.ts'
import { sse } from '../../agents/streams/replay.ts'
import { delta } from '../../support/fake-model.ts'
import { type Outcome, plays, stream } from './outcome.ts'

type Given = { index?: unknown; id?: unknown; type?: unknown; name?: unknown; args?: unknown }
/** Fields; or a text of a number, an id of one letter and a name, some of them, and then arguments. */
type Piece = Given | [said: string, args?: unknown]
const fieldsIn = ([said, args]: [string, unknown?]): Given => {
  const words = said.split(' ')
  const word = (sort: RegExp) => words.find(each => sort.test(each))
  const index = word(/^\d$/)
  return { index: index && Number(index), id: word(/^[a-z]$/), name: word(/^[a-z]{2,}$/), args }
}
const pieceOf = (piece: Piece) => {
  const { name, args, ...beside } = Array.isArray(piece) ? fieldsIn(piece) : piece
  return { ...beside, function: { name, arguments: args } }
}
/** One chunk with these pieces of calls. */
const chunk = (...given: Piece[]) => sse(delta({ tool_calls: given.map(pieceOf) }))
const end = sse(delta({}, 'tool_calls'), '[DONE]')
/** A stream in which each piece has a chunk of its own. */
const each = (...given: Piece[]) => stream(...given.map(piece => chunk(piece)), end)
const runs = (...calls: string[]): Outcome => ({ end: 'continue', calls })
const one = runs('look {"at":1}')
const two = runs('look {"at":1}', 'look {"at":2}')
const other = runs('look {"at":1}', 'go {"to":2}')
const [at1, at2, to2] = ['{"at":1}', '{"at":2}', '{"to":2}']
const [half, rest, rest2] = ['{"at":', '1}', '2}']

t.test('ids', t =>
  plays(t, {
    'an id that changes in a numbered call': [each(['0 a look'], ['0 b', half], ['0 c', rest]), one],
    'an id that changes in a call without a number': [each(['a look'], ['b', half], ['c', rest]), one],
    'an id that changes while the name is repeated': [each(['0 a look', half], ['0 b look', rest]), one],
    'one id for two numbered calls': [each(['0 a look', at1], ['1 a look', at2]), two],
    'one id for two numbered calls in pieces': [
      each(['0 a look'], ['1 a look'], ['0', at1], ['1', half], ['1', rest2]),
      two,
    ],
    'one id for two calls without numbers': [each(['a look', at1], ['a go', to2]), other],
    'one id for two calls of one tool without numbers': [each(['a look', at1], ['a look', at2]), two],
    'an empty id in each later piece': [
      each(['0 a look', ''], { index: 0, id: '', args: half }, { index: 0, id: '', args: rest }),
      one,
    ],
    'an id that comes last': [each(['0 look', at1], ['0 a', '']), one],
  }),
)

t.test('numbers', t =>
  plays(t, {
    'numbers as texts': [
      each(
        { index: '0', id: 'a', name: 'look', args: half },
        { index: '1', id: 'b', name: 'go', args: to2 },
        { index: '0', args: rest },
      ),
      other,
    ],
    'no numbers, but ids': [each(['a look', half], ['a', rest], ['b look', half], ['b', rest2]), two],
    'neither numbers nor ids': [each(['look', half], { args: rest }, ['look', at2]), two],
    'neither numbers nor ids, for equal calls': [
      each(['look', at1], ['look', at1]),
      runs('look {"at":1}', 'look {"at":1}'),
    ],
    'only zeros, and whole calls': [each(['0 a look', at1], ['0 b look', at2]), two],
    'only zeros, and equal calls': [
      each(['0 a look', at1], ['0 b look', at1]),
      runs('look {"at":1}', 'look {"at":1}'),
    ],
    'only zeros, and calls in pieces': [each(['0 a look'], ['0', at1], ['0 b look'], ['0', at2]), two],
    'only zeros, and a call in pieces after one without arguments': [
      each(['0 a look', '{}'], ['0 b look', half], ['0', rest]),
      runs('look {"at":1}', 'look {}'),
    ],
    'only zeros, and a call in pieces after a broken one': [
      each(['0 a look', '{"at":"}'], ['0 b look', half], ['0', rest]),
      runs('look {"at":"}', 'look {"at":1}'),
    ],
    'only zeros, and no ids': [each(['0 look', at1], ['0 look', at2]), two],
    'only zeros, and calls without arguments': [
      each(['0 a look', '{}'], ['0 b look', '{}']),
      runs('look {}', 'look {}'),
    ],
    'a number in the first piece alone': [each(['0 a look', ''], { args: half }, { args: rest }), one],
    'numbers from 1': [each(['1 a look', at1], ['2 b look', at2]), two],
    'numbers below 0': [
      each({ index: -1, id: 'a', name: 'look', args: half }, { index: -1, id: 'a', args: rest }),
      one,
    ],
  }),
)

t.test('names', t =>
  plays(t, {
    'a name in a later piece': [each(['0 a', half], ['0 look', rest]), one],
    'a name in the last piece': [each(['0 a', at1], ['0 look', '']), one],
    'a name in each piece': [each(['0 a look', half], ['0 a look', rest]), one],
    'a name in each piece without numbers and ids': [each(['look', half], ['look', rest]), one],
    'an empty name in each later piece': [each(['0 a look', half], { index: 0, name: '', args: rest }), one],
    'a name, and after the call once more': [each(['0 a look', at1], ['0 a look', '']), one],
    'a whole call, and after it once more': [each(['0 a look', half], ['0', rest], ['0 a look', at1]), one],
    'the name of an older field': [
      stream(
        sse(
          delta({ function_call: { name: 'look', arguments: half } }),
          delta({ function_call: { arguments: rest } }),
        ),
        end,
      ),
      one,
    ],
    'no name at all': [each(['0 a', at1]), { end: 'again' }],
  }),
)

t.test('arguments', t =>
  plays(t, {
    'a placeholder before them': [each(['0 a look', '{}'], ['0', half], ['0', rest]), one],
    'null before them': [each(['0 a look', 'null'], ['0', at1]), one],
    'a placeholder and a line end before them': [each(['0 a look', '{}'], ['0', '\n'], ['0', at1]), one],
    'a placeholder alone': [each(['0 a look', '{}']), runs('look {}')],
    'the word null in two pieces': [each(['0 a look', 'nu'], ['0', 'll']), runs('look {}')],
    'the word null in two pieces before them': [each(['0 a look', 'n'], ['0', 'ull'], ['0', at1]), one],
    'a half of the word null': [each(['0 a look', 'nu']), runs('look nu')],
    'nothing but the word null': [each(['0 a look', 'null']), runs('look {}')],
    'blanks alone': [each(['0 a look', ' \n']), runs('look {}')],
    'many blanks alone': [each(['0 a look', ' '.repeat(50)], ['0', ' '.repeat(50)]), runs('look {}')],
    'an object in place of text': [each(['0 a look', { at: 1 }]), one],
    'an object after an empty text': [each(['0 a look', ''], ['0', { at: 1 }]), one],
    'an empty object, and then text': [each(['0 a look', {}], ['0', at1]), one],
    'the whole of them once more at the end': [each(['0 a look', half], ['0', rest], ['0', at1]), one],
    'an inner object that ends a piece': [
      each(['0 a look', '{"in":{}'], ['0', ',"at":[{}'], ['0', ']}']),
      runs('look {"in":{},"at":[{}]}'),
    ],
    'a line end after them': [each(['0 a look', at1], ['0', '\n']), runs('look {"at":1}\n')],
  }),
)

t.test('several calls at once', t =>
  plays(t, {
    'two in one chunk': [stream(chunk(['0 a look', at1], ['1 b go', to2]), end), other],
    'two in one chunk without numbers': [stream(chunk(['a look', at1], ['b go', to2]), end), other],
    'two that take turns by number': [
      each(['0 a look'], ['1 b look'], ['0', half], ['1', half], ['0', rest], ['1', rest2]),
      two,
    ],
    'two that take turns by id': [each(['a look', half], ['b look', half], ['a', rest], ['b', rest2]), two],
    'the second number first': [each(['1 b look', at1], ['0 a look', at2]), two],
    'one without arguments between others': [
      each(['0 a look', at1], ['1 b now'], ['2 c look', at2]),
      runs('look {"at":1}', 'look {"at":2}', 'now {}'),
    ],
  }),
)

const no = { index: null, id: null, type: null }
t.test('empty lists and null', t =>
  plays(t, {
    'an empty list beside a text': [
      stream(sse(delta({ content: 'hi', tool_calls: [] }, 'stop'), '[DONE]')),
      { end: 'answer', text: 'hi' },
    ],
    'null in place of a list': [
      stream(sse(delta({ content: 'hi', tool_calls: null }, 'stop'), '[DONE]')),
      { end: 'answer', text: 'hi' },
    ],
    'an empty list after a call': [
      stream(chunk(['0 a look', at1]), sse(delta({ tool_calls: [] })), end),
      one,
    ],
    'null in every field of later pieces': [
      each(['0 a look', half], { ...no, name: null, args: rest }, { ...no, name: null, args: null }),
      one,
    ],
    'null in the arguments of the first piece': [each(['0 a look', null], ['0', at1]), one],
    'null in place of a function': [
      stream(chunk(['0 a look', at1]), sse(delta({ tool_calls: [{ index: 0, function: null }] })), end),
      one,
    ],
    'null among the pieces': [
      stream(sse(delta({ tool_calls: [null, pieceOf(['0 a look', at1])] })), end),
      one,
    ],
  }),
)

t.test('long arguments are not read again with each piece that repeats the name', async t => {
  const calls = createCalls()
  const pieces = Array.from({ length: 100_000 }, (_, n) => `${n === 0 ? '{' : ','}"${n}":{}`)
  for (const text of [...pieces, '}']) calls.hear([{ index: 0, function: { name: 'echo', arguments: text } }])
  t.same(calls.all(), [{ name: 'echo', arguments: `${pieces.join('')}}` }])
})
