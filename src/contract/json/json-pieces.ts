// Makes the JSON text of a value piece by piece, so that a long value does not hold up the event loop.

import { canonical } from './canonical.ts'
import { endOfPart } from './cut-text.ts'
import { isExact } from './exact-number.ts'
import { isLongerThan } from './length.ts'

/** The text of a value with more characters than this is made in several pieces. */
const pieceChars = 256 * 1024

function* ofText(text: string): Generator<string> {
  let before = '"'
  for (let from = 0; from < text.length; ) {
    const end = endOfPart(text, from, pieceChars)
    yield before + JSON.stringify(text.slice(from, end)).slice(1, -1)
    before = ''
    from = end
  }
  yield '"'
}

type Form = {
  /** The text of a short value. */
  textOf(value: unknown): string
  fieldsOf(value: object): [key: string, value: unknown][]
}
const plain: Form = {
  textOf: value => JSON.stringify(value) ?? 'null',
  fieldsOf: value => Object.entries(value).filter(([, field]) => field !== undefined),
}
const sorted: Form = {
  textOf: canonical,
  fieldsOf: value => Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)),
}

function* piecesOf(value: unknown, form: Form): Generator<string> {
  if (!isLongerThan(value, pieceChars)) yield form.textOf(value)
  else if (typeof value === 'string') yield* ofText(value)
  else if (isExact(value)) yield form.textOf(value)
  else if (Array.isArray(value)) {
    for (const [n, item] of value.entries()) {
      yield n === 0 ? '[' : ','
      yield* piecesOf(item, form)
    }
    yield ']'
  } else {
    let before = '{'
    for (const [key, item] of form.fieldsOf(value as object)) {
      yield `${before}${JSON.stringify(key)}:`
      before = ','
      yield* piecesOf(item, form)
    }
    yield before === '{' ? '{}' : '}'
  }
}

/** The text that JSON.stringify makes of a JSON value. Fields of objects may be undefined. */
export const jsonPieces = (value: unknown): Generator<string> => piecesOf(value, plain)
/** The text that `canonical` makes of a value. */
export const canonicalPieces = (value: unknown): Generator<string> => piecesOf(value, sorted)
