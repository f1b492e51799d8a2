// JSON text that may be too long for one string, or for memory: a short one is a string, a long one is made piece by
// piece as it is taken.
export type Piece = string | Buffer
export type Pieces = AsyncIterable<Piece>
export type Text = string | Pieces

/** Longer texts are not put together. In characters or bytes, whichever is at hand. */
export const wholeAtMost = 256 * 1024

/** Longer answers are large: few of them are given at once. A page that says that there is more ends early here. */
export const largeFrom = 8 * 1024 * 1024

export const isLong = (text: Text): text is Pieces => typeof text !== 'string'

/** These pieces one after the other, as one text: a string when none of them is long. */
export const joined = (...texts: Text[]): Text =>
  texts.some(isLong) ? inTurn(texts) : (texts as string[]).join('')

/** A text that is still being made, as pieces. */
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

/** A text without its last character, which is ASCII. */
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

/** A JSON array of these elements. */
export async function* arrayOf(elements: AsyncIterable<string>): AsyncGenerator<string> {
  let before = '['
  for await (const element of elements) {
    yield before + element
    before = ','
  }
  yield before === '[' ? '[]' : ']'
}

/** Takes pieces until it is clear whether they are long; nothing is taken of the others before they are asked for. */
export const gathered = async (pieces: Pieces, most = wholeAtMost): Promise<Text> => {
  const rest = pieces[Symbol.asyncIterator]()
  const head: Piece[] = []
  for (let size = 0; size <= most; ) {
    const { done, value } = await rest.next()
    if (done) return head.map(String).join('')
    head.push(value)
    size += value.length
  }
  return {
    async *[Symbol.asyncIterator]() {
      try {
        while (head.length > 0) yield head.shift() as Piece
        for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value
      } finally {
        await rest.return?.()
      }
    },
  }
}
