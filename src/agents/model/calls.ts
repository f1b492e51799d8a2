// Builds the tool calls of an answer from their pieces. Endpoints number the calls, give them ids, do both or neither;
// they number every call 0, change the id of a call, repeat its name, or send its name late. A piece belongs to the
// call that a careful reader would take, and text that a later piece may replace is not passed on yet.
import { isWholeJson } from '../../contract/json/whole-json.ts'
import { checkCalls } from './bounds.ts'
import type { Heard, HeardCall } from './endpoint.ts'
import { type Fields, fieldsOf, jsonOf, listOf, numberOf, wordOf } from './endpoint-values.ts'

// Follows JSON text that comes in pieces, to tell cheaply that it is not whole yet.

const createNesting = () => {
  let depth = 0
  let isText = false
  let isEscaped = false
  const hearInText = (character: string): void => {
    if (isEscaped) isEscaped = false
    else if (character === '\\') isEscaped = true
    else if (character === '"') isText = false
  }
  return {
    hear(text: string): void {
      for (const character of text) {
        if (isText) hearInText(character)
        else if (character === '"') isText = true
        else if (character === '{' || character === '[') depth++
        else if (character === '}' || character === ']') depth--
      }
    },
    /** Whether all that was opened is closed. If it is not, the text is not whole. */
    isClosed: () => depth === 0 && !isText,
  }
}

type Piece = { index: number | undefined; id: string; name: string; text: string; further: Fields }
/**
 * `held`: the end of `text` that was not passed on. `mayEnd`: whether the text ends like a JSON object, which is quick to
 * see. `nesting`: of the text. `further`: fields that the endpoint may want back.
 */
type Call = Piece & { key: string; held: string; mayEnd: boolean; nesting: ReturnType<typeof createNesting> }

/** Fields of a piece that are read here. All others belong to the endpoint. */
const known = new Set(['index', 'id', 'type', 'function'])
const knownOfFunction = new Set(['name', 'arguments'])
const without = (fields: Fields, names: Set<string>): Fields =>
  Object.fromEntries(
    Object.entries(fields).filter(([name, value]) => !names.has(name) && value !== null && value !== ''),
  )

const pieceOf = (value: unknown): Piece => {
  const fields = fieldsOf(value)
  const called = fieldsOf(fields.function)
  const ofFunction = without(called, knownOfFunction)
  return {
    index: numberOf(fields.index),
    id: wordOf(fields.id),
    name: wordOf(called.name),
    text: jsonOf(called.arguments),
    further: {
      ...without(fields, known),
      ...(Object.keys(ofFunction).length === 0 ? {} : { function: ofFunction }),
    },
  }
}

/** Arguments that some endpoints send before the real ones, or in place of none. */
const isPlaceholder = (text: string): boolean =>
  text.length < 1000 && ['{}', 'null', ''].includes(text.trim())
const isNothing = (text: string): boolean => isPlaceholder(text) && text.trim() !== '{}'
/** Whether a text may still become a placeholder. */
const mayBePlaceholder = (text: string): boolean =>
  isPlaceholder(text) || (text.length < 1000 && 'null'.startsWith(text.trim()))
/** Text is only read again when all that was opened in it is closed. */
const isComplete = ({ text, mayEnd, nesting }: Call): boolean =>
  mayEnd && nesting.isClosed() && !isPlaceholder(text) && isWholeJson(text)
/** Whether a piece says once more what is known of a call. Nothing but blanks can follow whole arguments. */
const repeats = (call: Call, { index, id, name, text }: Piece): boolean => {
  if (text !== call.text || !isComplete(call)) return false
  if (name === '') return true
  return name === call.name && (id === '' ? index !== undefined : id === call.id)
}

/** Whether a piece with the same number or id as a call begins another call all the same. */
const isAnother = (call: Call, piece: Piece): boolean => {
  if (piece.name === '' || call.name === '' || repeats(call, piece)) return false
  // In no JSON does an object follow another one at once.
  const isOther = piece.id !== call.id && call.mayEnd && /^\s*(\{|$)/.test(piece.text)
  return isOther || isComplete(call) || piece.name !== call.name
}

/** The call that a piece belongs to; undefined: the piece begins a new call. */
const callOf = (calls: Call[], piece: Piece): Call | undefined => {
  const { index, id, name } = piece
  const last = calls.at(-1)
  const same =
    index !== undefined
      ? calls.findLast(call => call.index === index)
      : id === ''
        ? last
        : (calls.findLast(call => call.id === id) ?? (isNext(last, piece) ? undefined : last))
  if (same === undefined || isAnother(same, piece)) return undefined
  // Without a number and an id, a name begins a call, unless the call before it still waits for its name or repeats it.
  const isBare = index === undefined && id === '' && name !== ''
  return isBare && same.name !== '' && !(same.name === name && same.text !== '' && !isPlaceholder(same.text))
    ? undefined
    : same
}
/** Whether a piece without a number, and with an id that is not known, begins a call. */
const isNext = (last: Call | undefined, { name }: Piece): boolean =>
  last === undefined || name !== '' || isComplete(last)

export const createCalls = () => {
  const calls: Call[] = []
  /** The calls whose text was passed on, in the order of their items. */
  const started: Call[] = []

  const passOn = (call: Call): Heard[] => {
    if (call.name === '' || call.held === '') return []
    if (!started.includes(call)) started.push(call)
    const text = call.held
    call.held = ''
    return [{ kind: 'call', call: call.key, name: call.name, text }]
  }

  const hearPiece = (piece: Piece): Heard[] => {
    let call = callOf(calls, piece)
    if (call !== undefined && repeats(call, piece)) return []
    if (call === undefined) {
      const empty = { name: '', text: '', further: {}, held: '', mayEnd: false }
      call = { ...piece, ...empty, key: `${calls.length}`, nesting: createNesting() }
      checkCalls(calls.push(call))
    }
    if (call.id === '') call.id = piece.id
    if (call.name === '') call.name = piece.name
    call.further = { ...call.further, ...piece.further }
    // Real arguments replace a placeholder.
    if (piece.text.trimStart().startsWith('{') && isPlaceholder(call.text) && call.held === call.text) {
      call.text = ''
      call.held = ''
      call.nesting = createNesting()
    }
    call.nesting.hear(piece.text)
    call.text += piece.text
    call.held += piece.text
    if (piece.text !== '') call.mayEnd = piece.text.trimEnd().endsWith('}')
    return mayBePlaceholder(call.text) ? [] : passOn(call)
  }
  /** Whether a call without arguments is the end of another one: that one's number, id and name once more. */
  const isEcho = ({ index, id, name }: Call): boolean =>
    (id !== '' || index !== undefined) &&
    started.some(call => call.id === id && call.index === index && call.name === name)
  /** Calls without arguments come last. */
  const inOrder = () => [
    ...started,
    ...calls.filter(call => call.name !== '' && !started.includes(call) && !isEcho(call)),
  ]

  return {
    hear: (pieces: unknown): Heard[] => listOf(pieces).flatMap(piece => hearPiece(pieceOf(piece))),
    /** The text that was held back. */
    rest: (): Heard[] => calls.filter(({ text }) => !isNothing(text)).flatMap(passOn),
    /** Whether a call has arguments and no name. */
    isNameless: () => calls.some(({ name, text }) => name === '' && text.trim() !== ''),
    /** The calls after `rest`. */
    all: (): HeardCall[] =>
      inOrder().map(call => ({ name: call.name, arguments: started.includes(call) ? call.text : '' })),
    /** The endpoint's own ids of the calls; undefined when it has none. */
    ids(): string[] | undefined {
      const ids = inOrder().map(({ id }) => id)
      return ids.some(id => id !== '') ? ids : undefined
    },
    /** Further fields of each call; undefined when there are none. */
    further(): (Fields | null)[] | undefined {
      const all = inOrder().map(({ further }) => (Object.keys(further).length === 0 ? null : further))
      return all.some(each => each !== null) ? all : undefined
    },
  }
}
