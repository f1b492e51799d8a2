// JSON text that may be too long for one string, or for memory. A short text is a string. A long text consists of
// pieces, each of which is made when the reader takes it.
import { jsonPieces } from '../contract/json/json-pieces.ts'
import { isLongerThan, lengthOf } from '../contract/json/length.ts'

export type Piece = string | Buffer
export type Pieces = AsyncIterable<Piece>
export type Text = string | Pieces

/** A text with its length in bytes. The length of a long text is approximate. */
export type Sized = { text: Text; bytes: number }

/** A text up to this length is made as one string. The length is in characters or in bytes, whichever is known. */
export const wholeAtMost = 256 * 1024

/**
 * An answer of more bytes is large. Only a few large answers are sent at the same time. A page of frames or of stored
 * events ends as soon as it has this many bytes.
 */
export const largeFrom = 8 * 1024 * 1024

export const isLong = (text: Text): text is Pieces => typeof text !== 'string'

/** Joins texts to one text, which is a string when none of them is long. */
export const joined = (...texts: Text[]): Text =>
  texts.some(isLong) ? inTurn(texts) : (texts as string[]).join('')

/** Yields the pieces of a text, which may still be in the making. */
export async function* only(made: Text | Promise<Text>): AsyncGenerator<Piece> {
  const text = await made
  if (isLong(text)) yield* text
  else yield text
}

async function* inTurn(texts: Text[]): AsyncGenerator<Piece> {
  for (const text of texts) {
    if (isLong(text)) yield* text
    else yield text
  }
}

/** A text without its last character, which must be ASCII. */
export const withoutEnd = (text: Text): Text => (isLong(text) ? cutShort(text) : text.slice(0, -1))

async function* cutShort(text: Pieces): AsyncGenerator<Piece> {
  let last: Piece = ''
  for await (const piece of text) {
    if (piece.length === 0) continue
    if (last.length > 0) yield last
    last = piece
  }
  yield typeof last === 'string' ? last.slice(0, -1) : last.subarray(0, -1)
}

/** The JSON text of a value. The pieces of a long text are made when the reader takes them. */
export const jsonText = (value: unknown): Text =>
  isLongerThan(value, wholeAtMost) ? eachOf(jsonPieces(value)) : JSON.stringify(value)

export const sizedText = (text: string): Sized => ({ text, bytes: Buffer.byteLength(text) })

/** The JSON text of a value, with its length. */
export const sizedJson = (value: unknown): Sized => {
  const text = jsonText(value)
  return isLong(text) ? { text, bytes: lengthOf(value) } : sizedText(text)
}

async function* eachOf(pieces: Iterable<string>): AsyncGenerator<string> {
  yield* pieces
}

/** A JSON array of these elements. */
export async function* arrayOf(elements: AsyncIterable<Text>): AsyncGenerator<Piece> {
  let before = '['
  for await (const element of elements) {
    const text = joined(before, element)
    if (isLong(text)) yield* text
    else yield text
    before = ','
  }
  yield before === '[' ? '[]' : ']'
}

async function* whole(head: Piece[], rest: AsyncIterator<Piece>): AsyncGenerator<Piece> {
  try {
    while (head.length > 0) yield head.shift() as Piece
    for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value
  } finally {
    await rest.return?.()
  }
}

/** Takes pieces until it is clear whether the text is long. The remaining pieces are made only when they are read. */
export const gathered = async (pieces: Pieces, max = wholeAtMost): Promise<Text> => {
  const rest = pieces[Symbol.asyncIterator]()
  const head: Piece[] = []
  for (let size = 0; size <= max; ) {
    const { done, value } = await rest.next()
    if (done) return head.map(String).join('')
    head.push(value)
    size += value.length
  }
  return { [Symbol.asyncIterator]: () => whole(head, rest) }
}
