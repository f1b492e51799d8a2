// Calls whose pieces come in an unusual form: each piece of the sample's two calls, as it arrives.
import t from 'tap'
import { calls } from '../../../src/fake-model/faults/calls.ts'
import { protocolNames } from '../../../src/fake-model/protocols/protocol.ts'
import { fold, jsonOf, unfold } from '../support.ts'
import { argumentsOf, play } from './support.ts'

type Fields = Record<string, unknown>
type Piece = {
  index?: unknown
  id?: unknown
  type?: unknown
  function: { name?: unknown; arguments?: unknown }
}
const chunksOf = (text: string): Piece[][] =>
  jsonOf(text).flatMap(({ choices }) =>
    (choices as { delta: { tool_calls?: Piece[] } }[]).flatMap(({ delta }) =>
      delta.tool_calls ? [delta.tool_calls] : [],
    ),
  )
const piecesOf = (text: string): Piece[] => chunksOf(text).flat()
const plain = async (t: Parameters<typeof play>[0]) => piecesOf((await play(t, [])).text)
const argumentsIn = (pieces: Piece[]) => pieces.map(piece => piece.function.arguments).join('')

/** What is odd in the pieces of each fault of Chat Completions; `usual`: the pieces without a fault. */
const odd: Record<string, (pieces: Piece[], usual: Piece[], chunks: Piece[][]) => boolean> = {
  'call-id-changes': pieces => new Set(pieces.map(({ id }) => id)).size === pieces.length,
  'no-call-ids': pieces => pieces.every(piece => !('id' in piece)),
  'index-as-text': pieces => pieces.every(({ index }) => index === '0' || index === '1'),
  'index-missing': pieces => pieces.every(piece => !('index' in piece)),
  'index-always-0': pieces => pieces.every(({ index }) => index === 0),
  'placeholder-pieces': (pieces, usual) =>
    pieces.length === usual.length * 2 &&
    pieces.every((piece, n) =>
      n % 2 === 0
        ? piece.id === null && piece.function.name === null && piece.function.arguments === null
        : piece.id === (usual[(n - 1) / 2]?.id ?? ''),
    ),
  'placeholder-arguments': pieces => argumentsIn(pieces) === `{}${argumentsOf[0]}{}${argumentsOf[1]}`,
  'name-in-later-piece': pieces =>
    pieces[0]?.function.name === undefined &&
    pieces[1]?.function.name === 'add' &&
    pieces[1]?.id === undefined,
  'name-in-every-piece': pieces => pieces.every(({ id, function: { name } }) => id && name),
  'call-in-one-piece': (pieces, _, chunks) =>
    chunks.length === 2 && pieces.map(piece => piece.function.arguments).join() === argumentsOf.join(),
  'calls-in-one-chunk': (pieces, _, chunks) =>
    chunks.length === 1 && pieces.map(piece => piece.function.arguments).join() === argumentsOf.join(),
  'interleaved-calls': pieces =>
    pieces
      .map(({ index }) => index)
      .join('')
      .startsWith('0101'),
  'arguments-as-object': pieces =>
    pieces.map(piece => JSON.stringify(piece.function.arguments)).join() === argumentsOf.join(),
  'doubled-call': pieces =>
    [0, 1].every(
      nth =>
        argumentsIn(pieces.filter(({ index }) => index === nth)) === `${argumentsOf[nth]}${argumentsOf[nth]}`,
    ),
  'cumulative-arguments': pieces =>
    pieces.findLast(({ index }) => index === 0)?.function.arguments === argumentsOf[0],
  'doubled-pieces': (pieces, usual) => pieces.length === usual.length * 2,
}

for (const [name, isOdd] of Object.entries(odd)) {
  t.test(`${name}: the pieces are odd, and nothing else is`, async t => {
    const usual = await plain(t)
    const { text, end } = await play(t, name)
    t.equal(end, 'close')
    const pieces = piecesOf(text)
    t.ok(isOdd(pieces, usual, chunksOf(text)), JSON.stringify(pieces))
    t.notOk(isOdd(usual, usual, chunksOf((await play(t, [])).text)), 'the usual pieces are not odd')
    t.match(text, /"finish_reason":"tool_calls"[\s\S]*\[DONE\]/)
  })
}

t.test('one-id-for-two-calls: in each protocol, streamed and whole', async t => {
  for (const protocol of protocolNames) {
    const seen = fold[protocol]((await play(t, 'one-id-for-two-calls', { protocol })).text)
    const body = JSON.parse((await play(t, 'one-id-for-two-calls', { protocol, stream: false })).text)
    for (const { calls: found = [] } of [seen, unfold[protocol](body)]) {
      t.same(
        found.map(({ id, name }) => [id, name]),
        [
          ['fake_call_1', 'add'],
          ['fake_call_1', 'list'],
        ],
      )
    }
  }
})

t.test('call-id-changes: in Responses, each event about an item has another id for it', async t => {
  const events = jsonOf((await play(t, 'call-id-changes', { protocol: 'responses' })).text)
  const ids = events.flatMap(event => [event.item_id ?? (event.item as Fields | undefined)?.id ?? []].flat())
  t.ok(ids.length > 10)
  t.equal(new Set(ids).size, ids.length)
})

t.test('arguments are no JSON object, in each protocol', async t => {
  const forms: Record<string, (text: string) => string> = {
    'malformed-arguments': text => text.slice(0, -1),
    'arguments-null': () => 'null',
    'arguments-encoded-twice': text => JSON.stringify(text),
  }
  for (const [name, form] of Object.entries(forms)) {
    for (const protocol of protocolNames) {
      const seen = fold[protocol]((await play(t, name, { protocol })).text)
      t.same(
        seen.calls.map(call => call.arguments),
        argumentsOf.map(form),
        `${name} ${protocol}`,
      )
    }
  }
})

t.test('an answer that is not streamed has no ids, or objects as arguments', async t => {
  const callsIn = async (fault: string) => {
    const { text } = await play(t, fault, { stream: false })
    return JSON.parse(text).choices[0].message.tool_calls
  }
  t.same(await callsIn('arguments-as-object'), [
    { id: 'fake_call_1', type: 'function', function: { name: 'add', arguments: { a: 1, b: 'é' } } },
    { id: 'fake_call_2', type: 'function', function: { name: 'list', arguments: { c: 'x' } } },
  ])
  const named = (await callsIn('no-call-ids')) as Fields[]
  t.same(
    named.map(call => Object.keys(call)),
    [
      ['type', 'function'],
      ['type', 'function'],
    ],
  )
})

t.test('each fault of this kind is tested here', async t => {
  const others = ['one-id-for-two-calls', 'malformed-arguments', 'arguments-null', 'arguments-encoded-twice']
  t.same(calls.map(({ name }) => name).sort(), [...Object.keys(odd), ...others].sort())
})
