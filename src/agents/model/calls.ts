// Builds the tool calls of an answer from their pieces. Some endpoints number the calls, some give them ids, some do
// neither and send each call whole, and some number every call 0.
import { isWholeJson } from '../../contract/whole-json.ts'
import { countOf, type Fields, fieldsOf, jsonOf, listOf, wordOf } from './endpoint-values.ts'

export type HeardCall = { name: string; arguments: string }
/** `held`: arguments that came before the name of the call. */
type Call = {
  key: string
  index: number | undefined
  id: string
  name: string
  arguments: string
  held: string
}
export type CallText = { kind: 'call'; call: string; name: string; text: string }

export const createCalls = () => {
  const calls: Call[] = []
  /** The calls whose text was passed on, in the order of their items. */
  const started: Call[] = []

  /** The call that a piece belongs to; undefined: the piece begins a new call. */
  const before = (index: number | undefined, id: string, name: string): Call | undefined => {
    if (index === undefined && id === '') return name === '' ? calls.at(-1) : undefined
    const known = calls.findLast(call => (index === undefined ? call.id === id : call.index === index))
    if (known === undefined) return undefined
    if (id !== '' && known.id !== '' && id !== known.id) return undefined
    // A piece with a name begins another call of the same number if the arguments of the known call are whole.
    return id === '' && name !== '' && known.name !== '' && isWholeJson(known.arguments) ? undefined : known
  }

  const hearPiece = (piece: Fields): CallText[] => {
    const { name: givenName, arguments: givenText } = fieldsOf(piece.function)
    const [index, id, name] = [countOf(piece.index), wordOf(piece.id), wordOf(givenName)]
    const text = jsonOf(givenText)
    let call = before(index, id, name)
    if (call === undefined) {
      call = { key: `${calls.length}`, index, id: '', name: '', arguments: '', held: '' }
      calls.push(call)
    }
    if (call.id === '') call.id = id
    if (call.name === '') call.name = name
    call.arguments += text
    call.held += text
    if (call.name === '' || call.held === '') return []
    if (!started.includes(call)) started.push(call)
    const said: CallText = { kind: 'call', call: call.key, name: call.name, text: call.held }
    call.held = ''
    return [said]
  }
  /** Calls without arguments come last. */
  const inOrder = () => [
    ...started,
    ...calls.filter(({ name, arguments: text }) => name !== '' && text === ''),
  ]

  return {
    hear: (pieces: unknown): CallText[] => listOf(pieces).flatMap(piece => hearPiece(fieldsOf(piece))),
    count: () => calls.length,
    all: (): HeardCall[] => inOrder().map(({ name, arguments: text }) => ({ name, arguments: text })),
    /** The endpoint's own ids of the calls; undefined when it has none. */
    ids(): string[] | undefined {
      const ids = inOrder().map(({ id }) => id)
      return ids.some(id => id !== '') ? ids : undefined
    },
  }
}
