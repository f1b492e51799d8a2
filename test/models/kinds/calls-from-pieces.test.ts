// The kind: calls are put together wrongly from the pieces in which they come. A piece belongs to the call that a careful
// reader would take, whatever the endpoint does with numbers, ids and names.
import t from 'tap'
import { sse } from '../../agents/streams/replay.ts'
import { delta } from '../../support/fake-model.ts'
import { type Outcome, plays, stream } from './outcome.ts'

type Given = { index?: unknown; id?: unknown; type?: unknown; name?: unknown; args?: unknown }
const pieceOf = ({ name, args, ...beside }: Given) => ({ ...beside, function: { name, arguments: args } })
/** One chunk with these pieces of calls. */
const chunk = (...given: Given[]) => sse(delta({ tool_calls: given.map(pieceOf) }))
const end = sse(delta({}, 'tool_calls'), '[DONE]')
/** A stream in which each piece has a chunk of its own. */
const each = (...given: Given[]) => stream(...given.map(piece => chunk(piece)), end)
const runs = (...calls: string[]): Outcome => ({ end: 'continue', calls })
const one = runs('look {"at":1}')
const two = runs('look {"at":1}', 'look {"at":2}')
const other = runs('look {"at":1}', 'go {"to":2}')
const [at1, at2, to2] = ['{"at":1}', '{"at":2}', '{"to":2}']
const [half, rest, rest2] = ['{"at":', '1}', '2}']

t.test('ids', t =>
  plays(t, {
    'an id that changes in a numbered call': [
      each(
        { index: 0, id: 'a', name: 'look' },
        { index: 0, id: 'b', args: half },
        { index: 0, id: 'c', args: rest },
      ),
      one,
    ],
    'an id that changes in a call without a number': [
      each({ id: 'a', name: 'look' }, { id: 'b', args: half }, { id: 'c', args: rest }),
      one,
    ],
    'an id that changes while the name is repeated': [
      each({ index: 0, id: 'a', name: 'look', args: half }, { index: 0, id: 'b', name: 'look', args: rest }),
      one,
    ],
    'one id for two numbered calls': [
      each({ index: 0, id: 'a', name: 'look', args: at1 }, { index: 1, id: 'a', name: 'look', args: at2 }),
      two,
    ],
    'one id for two numbered calls in pieces': [
      each(
        ...[
          { index: 0, id: 'a', name: 'look' },
          { index: 1, id: 'a', name: 'look' },
        ],
        ...[
          { index: 0, args: at1 },
          { index: 1, args: half },
          { index: 1, args: rest2 },
        ],
      ),
      two,
    ],
    'one id for two calls without numbers': [
      each({ id: 'a', name: 'look', args: at1 }, { id: 'a', name: 'go', args: to2 }),
      other,
    ],
    'one id for two calls of one tool without numbers': [
      each({ id: 'a', name: 'look', args: at1 }, { id: 'a', name: 'look', args: at2 }),
      two,
    ],
    'an empty id in each later piece': [
      each(
        { index: 0, id: 'a', name: 'look', args: '' },
        { index: 0, id: '', args: half },
        { index: 0, id: '', args: rest },
      ),
      one,
    ],
    'an id that comes last': [
      each({ index: 0, name: 'look', args: at1 }, { index: 0, id: 'a', args: '' }),
      one,
    ],
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
    'no numbers, but ids': [
      each(
        { id: 'a', name: 'look', args: half },
        { id: 'a', args: rest },
        { id: 'b', name: 'look', args: half },
        { id: 'b', args: rest2 },
      ),
      two,
    ],
    'neither numbers nor ids': [
      each({ name: 'look', args: half }, { args: rest }, { name: 'look', args: at2 }),
      two,
    ],
    'neither numbers nor ids, for equal calls': [
      each({ name: 'look', args: at1 }, { name: 'look', args: at1 }),
      runs('look {"at":1}', 'look {"at":1}'),
    ],
    'only zeros, and whole calls': [
      each({ index: 0, id: 'a', name: 'look', args: at1 }, { index: 0, id: 'b', name: 'look', args: at2 }),
      two,
    ],
    'only zeros, and equal calls': [
      each({ index: 0, id: 'a', name: 'look', args: at1 }, { index: 0, id: 'b', name: 'look', args: at1 }),
      runs('look {"at":1}', 'look {"at":1}'),
    ],
    'only zeros, and calls in pieces': [
      each(
        { index: 0, id: 'a', name: 'look' },
        { index: 0, args: at1 },
        { index: 0, id: 'b', name: 'look' },
        { index: 0, args: at2 },
      ),
      two,
    ],
    'only zeros, and no ids': [
      each({ index: 0, name: 'look', args: at1 }, { index: 0, name: 'look', args: at2 }),
      two,
    ],
    'only zeros, and calls without arguments': [
      each({ index: 0, id: 'a', name: 'look', args: '{}' }, { index: 0, id: 'b', name: 'look', args: '{}' }),
      runs('look {}', 'look {}'),
    ],
    'a number in the first piece alone': [
      each({ index: 0, id: 'a', name: 'look', args: '' }, { args: half }, { args: rest }),
      one,
    ],
    'numbers from 1': [
      each({ index: 1, id: 'a', name: 'look', args: at1 }, { index: 2, id: 'b', name: 'look', args: at2 }),
      two,
    ],
    'numbers below 0': [
      each({ index: -1, id: 'a', name: 'look', args: half }, { index: -1, id: 'a', args: rest }),
      one,
    ],
  }),
)

t.test('names', t =>
  plays(t, {
    'a name in a later piece': [
      each({ index: 0, id: 'a', args: half }, { index: 0, name: 'look', args: rest }),
      one,
    ],
    'a name in the last piece': [
      each({ index: 0, id: 'a', args: at1 }, { index: 0, name: 'look', args: '' }),
      one,
    ],
    'a name in each piece': [
      each({ index: 0, id: 'a', name: 'look', args: half }, { index: 0, id: 'a', name: 'look', args: rest }),
      one,
    ],
    'a name in each piece without numbers and ids': [
      each({ name: 'look', args: half }, { name: 'look', args: rest }),
      one,
    ],
    'an empty name in each later piece': [
      each({ index: 0, id: 'a', name: 'look', args: half }, { index: 0, name: '', args: rest }),
      one,
    ],
    'a name, and after the call once more': [
      each({ index: 0, id: 'a', name: 'look', args: at1 }, { index: 0, id: 'a', name: 'look', args: '' }),
      one,
    ],
    'a whole call, and after it once more': [
      each(
        { index: 0, id: 'a', name: 'look', args: half },
        { index: 0, args: rest },
        { index: 0, id: 'a', name: 'look', args: at1 },
      ),
      one,
    ],
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
    'no name at all': [each({ index: 0, id: 'a', args: at1 }), { end: 'again' }],
  }),
)

t.test('arguments', t =>
  plays(t, {
    'a placeholder before them': [
      each(
        { index: 0, id: 'a', name: 'look', args: '{}' },
        { index: 0, args: half },
        { index: 0, args: rest },
      ),
      one,
    ],
    'null before them': [
      each({ index: 0, id: 'a', name: 'look', args: 'null' }, { index: 0, args: at1 }),
      one,
    ],
    'a placeholder and a line end before them': [
      each(
        { index: 0, id: 'a', name: 'look', args: '{}' },
        { index: 0, args: '\n' },
        { index: 0, args: at1 },
      ),
      one,
    ],
    'a placeholder alone': [each({ index: 0, id: 'a', name: 'look', args: '{}' }), runs('look {}')],
    'nothing but the word null': [each({ index: 0, id: 'a', name: 'look', args: 'null' }), runs('look {}')],
    'blanks alone': [each({ index: 0, id: 'a', name: 'look', args: ' \n' }), runs('look {}')],
    'many blanks alone': [
      each({ index: 0, id: 'a', name: 'look', args: ' '.repeat(50) }, { index: 0, args: ' '.repeat(50) }),
      runs('look {}'),
    ],
    'an object in place of text': [each({ index: 0, id: 'a', name: 'look', args: { at: 1 } }), one],
    'an object after an empty text': [
      each({ index: 0, id: 'a', name: 'look', args: '' }, { index: 0, args: { at: 1 } }),
      one,
    ],
    'an empty object, and then text': [
      each({ index: 0, id: 'a', name: 'look', args: {} }, { index: 0, args: at1 }),
      one,
    ],
    'the whole of them once more at the end': [
      each(
        { index: 0, id: 'a', name: 'look', args: half },
        { index: 0, args: rest },
        { index: 0, args: at1 },
      ),
      one,
    ],
    'an inner object that ends a piece': [
      each(
        { index: 0, id: 'a', name: 'look', args: '{"in":{}' },
        { index: 0, args: ',"at":[{}' },
        { index: 0, args: ']}' },
      ),
      runs('look {"in":{},"at":[{}]}'),
    ],
    'a line end after them': [
      each({ index: 0, id: 'a', name: 'look', args: at1 }, { index: 0, args: '\n' }),
      runs('look {"at":1}\n'),
    ],
  }),
)

t.test('several calls at once', t =>
  plays(t, {
    'two in one chunk': [
      stream(
        chunk({ index: 0, id: 'a', name: 'look', args: at1 }, { index: 1, id: 'b', name: 'go', args: to2 }),
        end,
      ),
      other,
    ],
    'two in one chunk without numbers': [
      stream(chunk({ id: 'a', name: 'look', args: at1 }, { id: 'b', name: 'go', args: to2 }), end),
      other,
    ],
    'two that take turns by number': [
      each(
        ...[
          { index: 0, id: 'a', name: 'look' },
          { index: 1, id: 'b', name: 'look' },
        ],
        ...[
          { index: 0, args: half },
          { index: 1, args: half },
          { index: 0, args: rest },
          { index: 1, args: rest2 },
        ],
      ),
      two,
    ],
    'two that take turns by id': [
      each(
        { id: 'a', name: 'look', args: half },
        { id: 'b', name: 'look', args: half },
        { id: 'a', args: rest },
        { id: 'b', args: rest2 },
      ),
      two,
    ],
    'the second number first': [
      each({ index: 1, id: 'b', name: 'look', args: at1 }, { index: 0, id: 'a', name: 'look', args: at2 }),
      two,
    ],
    'one without arguments between others': [
      each(
        { index: 0, id: 'a', name: 'look', args: at1 },
        { index: 1, id: 'b', name: 'now' },
        { index: 2, id: 'c', name: 'look', args: at2 },
      ),
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
      stream(chunk({ index: 0, id: 'a', name: 'look', args: at1 }), sse(delta({ tool_calls: [] })), end),
      one,
    ],
    'null in every field of later pieces': [
      each(
        { index: 0, id: 'a', name: 'look', args: half },
        { ...no, name: null, args: rest },
        { ...no, name: null, args: null },
      ),
      one,
    ],
    'null in the arguments of the first piece': [
      each({ index: 0, id: 'a', name: 'look', args: null }, { index: 0, args: at1 }),
      one,
    ],
    'null in place of a function': [
      stream(
        chunk({ index: 0, id: 'a', name: 'look', args: at1 }),
        sse(delta({ tool_calls: [{ index: 0, function: null }] })),
        end,
      ),
      one,
    ],
    'null among the pieces': [
      stream(
        sse(delta({ tool_calls: [null, pieceOf({ index: 0, id: 'a', name: 'look', args: at1 })] })),
        end,
      ),
      one,
    ],
  }),
)
