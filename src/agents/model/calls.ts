// The calls of tools in an answer, put together from their pieces. Endpoints number them, or name them by an id, or do
// neither and send each call whole, or number every one 0.
import { isWholeJson } from '../../contract/whole-json.ts'
import { countOf, type Fields, fieldsOf, jsonOf, listOf, wordOf } from './given.ts'

export type HeardCall = { name: string; arguments: string }
/** `held` came before the name did. */
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
  /** In the order in which they were told, which is that of their items. */
  const told: Call[] = []

  /** The call that a piece goes on with; undefined: it begins one. */
  const before = (index: number | undefined, id: string, name: string): Call | undefined => {
    if (index === undefined && id === '') return name === '' ? calls.at(-1) : undefined
    const known = calls.findLast(call => (index === undefined ? call.id === id : call.index === index))
    if (known === undefined) return undefined
    if (id !== '' && known.id !== '' && id !== known.id) return undefined
    // The same number again, and a name although all was said: another call.
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
    if (!told.includes(call)) told.push(call)
    const said: CallText = { kind: 'call', call: call.key, name: call.name, text: call.held }
    call.held = ''
    return [said]
  }
  /** Those that came without arguments are told last. */
  const inOrder = () => [...told, ...calls.filter(({ name, arguments: text }) => name !== '' && text === '')]

  return {
    hear: (pieces: unknown): CallText[] => listOf(pieces).flatMap(piece => hearPiece(fieldsOf(piece))),
    count: () => calls.length,
    all: (): HeardCall[] => inOrder().map(({ name, arguments: text }) => ({ name, arguments: text })),
    /** The endpoint's own names for them; undefined when it has none. */
    ids(): string[] | undefined {
      const ids = inOrder().map(({ id }) => id)
      return ids.some(id => id !== '') ? ids : undefined
    },
  }
}
