// Tool calls whose pieces come in an unusual form.
import { createHash } from 'node:crypto'
import type { Answer } from '../answer.ts'
import type { Piece } from '../answer-pieces.ts'
import { isEvent, type Step } from '../frames.ts'
import type { Event } from '../protocols/protocol.ts'
import { type Fields, fieldsOf, listOf } from '../question.ts'
import { eachEvent, type Fault } from './fault.ts'

/** The piece of a call that a chunk has. */
const callIn = ({ data }: Event): Fields =>
  fieldsOf(listOf(fieldsOf(fieldsOf(listOf(fieldsOf(data).choices)[0]).delta).tool_calls)[0])
/** The chunk with these pieces of calls. */
const withCalls = (event: Event, tool_calls: Fields[]): Event => {
  const data = fieldsOf(event.data)
  const choice = fieldsOf(listOf(data.choices)[0])
  const delta = { ...fieldsOf(choice.delta), tool_calls }
  return { ...event, data: { ...data, choices: [{ ...choice, delta }] } }
}
const isOfCall = ({ is }: Event): boolean => is === 'call' || is === 'arguments'

/** Replaces each piece of a call by others, each in a chunk of its own. `whole` is the call so far, with this piece. */
const eachPiece = (change: (piece: Fields, whole: Whole) => Fields[]): NonNullable<Fault['steps']> =>
  function* (steps, protocol) {
    const calls = new Map<unknown, Whole>()
    yield* eachEvent(event => {
      if (!isOfCall(event)) return [event]
      const piece = callIn(event)
      const { name, arguments: text } = fieldsOf(piece.function)
      const whole = calls.get(piece.index) ?? { id: piece.id, name, arguments: '', pieces: 0 }
      whole.arguments += String(text)
      whole.pieces++
      calls.set(piece.index, whole)
      return change(piece, whole).map(changed => withCalls(event, [changed]))
    })(steps, protocol)
  }
type Whole = { id: unknown; name: unknown; arguments: string; pieces: number }

/** The calls of the answer in one go: all their pieces are held until something else comes. */
const together = (change: (chunks: Event[]) => Event[]): NonNullable<Fault['steps']> =>
  function* (steps) {
    let held: Event[] = []
    for (const step of steps as Iterable<Step>) {
      if (isEvent(step) && isOfCall(step)) {
        held.push(step)
        continue
      }
      if (held.length > 0) yield* change(held)
      held = []
      yield step
    }
    if (held.length > 0) yield* change(held)
  }
const byIndex = (chunks: Event[]): Event[][] => {
  const calls = new Map<unknown, Event[]>()
  for (const chunk of chunks) {
    const { index } = callIn(chunk)
    calls.set(index, [...(calls.get(index) ?? []), chunk])
  }
  return [...calls.values()]
}
/** The first chunk of a call, with all its arguments. */
const wholeCall = (chunks: Event[]): { chunk: Event; call: Fields; text: string } => {
  const [chunk = { is: 'call', data: {} }] = chunks
  const text = chunks.map(each => fieldsOf(callIn(each).function).arguments).join('')
  return { chunk, call: callIn(chunk), text }
}
const withArguments = (call: Fields, value: unknown): Fields => ({
  ...call,
  function: { ...fieldsOf(call.function), arguments: value },
})

/** In turns: the first of each list, then the second of each. */
const alternating = <Value>(lists: Value[][]): Value[] =>
  Array.from({ length: Math.max(...lists.map(list => list.length)) }, (_, n) =>
    lists.flatMap(list => list.slice(n, n + 1)),
  ).flat()

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const eachArguments =
  (change: (text: string) => string): NonNullable<Fault['answer']> =>
  answer =>
    answer.tool_calls === undefined
      ? answer
      : ({
          ...answer,
          tool_calls: answer.tool_calls.map(call => {
            const { arguments: values = {} } = call
            const text = typeof values === 'string' ? values : JSON.stringify(values)
            return { ...call, arguments: change(text) }
          }),
        } satisfies Answer)

function* oneId(pieces: Iterable<Piece>): Generator<Piece> {
  let id: string | undefined
  for (const piece of pieces) {
    if (piece.kind === 'call') id ??= piece.id
    yield piece.kind === 'call' ? { ...piece, id: id ?? piece.id } : piece
  }
}

/** Gives each event of Responses another id of its item. */
const itemIdChanges = eachEvent((event, nth) => {
  const data = fieldsOf(event.data)
  const other = (id: unknown) =>
    `fc_${createHash('sha256').update(`${id} ${nth}`).digest('hex').slice(0, 20)}`
  const item = fieldsOf(data.item)
  return [
    {
      ...event,
      data: {
        ...data,
        ...('item_id' in data ? { item_id: other(data.item_id) } : {}),
        ...('item' in data ? { item: { ...item, id: other(item.id) } } : {}),
      },
    },
  ]
})
const callIdChanges = eachPiece((piece, { id, pieces }) => [{ ...piece, id: `${id}_${pieces}` }])

const body =
  (change: (call: Fields) => Fields): NonNullable<Fault['body']> =>
  whole => ({
    ...whole,
    choices: listOf(whole.choices).map(choice => {
      const message = fieldsOf(fieldsOf(choice).message)
      const { tool_calls } = message
      const changed =
        tool_calls === undefined ? {} : { tool_calls: listOf(tool_calls).map(fieldsOf).map(change) }
      return { ...fieldsOf(choice), message: { ...message, ...changed } }
    }),
  })

const completions = ['chat'] as const
const withoutField = (name: string) => (piece: Fields) =>
  Object.fromEntries(Object.entries(piece).filter(([field]) => field !== name))

export const calls: Fault[] = [
  {
    name: 'call-id-changes',
    about: 'Each piece of a call has another id; in Responses, the ids of the items change.',
    protocols: ['chat', 'responses'],
    steps: (steps, protocol) => (protocol === 'chat' ? callIdChanges : itemIdChanges)(steps, protocol),
  },
  { name: 'one-id-for-two-calls', about: 'All calls of an answer have the same id.', pieces: oneId },
  {
    name: 'no-call-ids',
    about: 'The calls have no ids.',
    protocols: completions,
    steps: eachPiece(piece => [withoutField('id')(piece)]),
    body: body(withoutField('id')),
  },
  {
    name: 'index-as-text',
    about: 'The index of a call is a text.',
    protocols: completions,
    steps: eachPiece(piece => [{ ...piece, index: String(piece.index) }]),
  },
  {
    name: 'index-missing',
    about: 'The pieces of a call have no index.',
    protocols: completions,
    steps: eachPiece(piece => [withoutField('index')(piece)]),
  },
  {
    name: 'index-always-0',
    about: 'Each call has the index 0.',
    protocols: completions,
    steps: eachPiece(piece => [{ ...piece, index: 0 }]),
  },
  {
    name: 'placeholder-pieces',
    about: 'Each piece of a call has all fields: those that it does not tell are null or an empty text.',
    protocols: completions,
    steps: eachPiece(piece => {
      const { name = null, arguments: text } = fieldsOf(piece.function)
      const filled = { ...piece, id: piece.id ?? '', type: 'function', function: { name, arguments: text } }
      return [{ ...piece, id: null, type: null, function: { name: null, arguments: null } }, filled]
    }),
  },
  {
    name: 'placeholder-arguments',
    about: 'A call begins with the arguments {}, and its real arguments follow.',
    protocols: completions,
    steps: eachPiece((piece, { pieces }) => [pieces === 1 ? withArguments(piece, '{}') : piece]),
  },
  {
    name: 'name-in-later-piece',
    about: 'The name of a call comes in a piece after its id.',
    protocols: completions,
    steps: eachPiece((piece, { pieces, name }) =>
      pieces === 1
        ? [
            { ...piece, function: { arguments: '' } },
            { index: piece.index, function: { name } },
          ]
        : [piece],
    ),
  },
  {
    name: 'name-in-every-piece',
    about: 'Each piece of a call repeats its id and its name.',
    protocols: completions,
    steps: eachPiece((piece, { id, name }) => [
      { ...piece, id, type: 'function', function: { ...fieldsOf(piece.function), name } },
    ]),
  },
  {
    name: 'call-in-one-piece',
    about: 'Each call comes whole, in one piece.',
    protocols: completions,
    steps: together(chunks =>
      byIndex(chunks).map(of => {
        const { chunk, call, text } = wholeCall(of)
        return withCalls(chunk, [withArguments(call, text)])
      }),
    ),
  },
  {
    name: 'calls-in-one-chunk',
    about: 'All calls come whole, in one chunk.',
    protocols: completions,
    steps: together(chunks => {
      const whole = byIndex(chunks).map(wholeCall)
      const all = whole.map(({ call, text }) => withArguments(call, text))
      return whole.slice(0, 1).map(({ chunk }) => withCalls(chunk, all))
    }),
  },
  {
    name: 'interleaved-calls',
    about: 'The pieces of several calls come in turns.',
    protocols: completions,
    steps: together(chunks => alternating(byIndex(chunks))),
  },
  {
    name: 'arguments-as-object',
    about: 'The arguments of a call are an object instead of a text.',
    protocols: completions,
    steps: together(chunks =>
      byIndex(chunks).map(of => {
        const { chunk, call, text } = wholeCall(of)
        return withCalls(chunk, [withArguments(call, parsed(text))])
      }),
    ),
    body: body(call => withArguments(call, parsed(String(fieldsOf(call.function).arguments)))),
  },
  {
    name: 'doubled-call',
    about: 'After the pieces of a call, a last piece repeats the whole call.',
    protocols: completions,
    steps: together(chunks =>
      byIndex(chunks).flatMap(of => {
        const { chunk, call, text } = wholeCall(of)
        return [...of, withCalls(chunk, [withArguments(call, text)])]
      }),
    ),
  },
  {
    name: 'cumulative-arguments',
    about: 'Each piece of a call has all arguments so far.',
    protocols: completions,
    steps: eachPiece((piece, whole) => [withArguments(piece, whole.arguments)]),
  },
  {
    name: 'doubled-pieces',
    about: 'Each piece of a call comes twice.',
    steps: eachEvent(event => (isOfCall(event) ? [event, event] : [event])),
  },
  {
    name: 'malformed-arguments',
    about: 'The arguments of a call are no JSON: their last character is missing.',
    answer: eachArguments(text => text.slice(0, -1)),
  },
  {
    name: 'arguments-null',
    about: 'The arguments of a call are the text null.',
    answer: eachArguments(() => 'null'),
  },
  {
    name: 'arguments-encoded-twice',
    about: 'The arguments of a call are a JSON text in a JSON text.',
    answer: eachArguments(text => JSON.stringify(text)),
  },
]
