// Pages of an answer, limited in number and length: as JSON with a field that says whether there is more, or as lines.
import { isLong, joined, largeFrom, type Piece, type Sized } from '../platform/pieces.ts'

/**
 * A JSON object that ends with a page of at most `limit` elements, and of limited length. The first element is included
 * however long it is. `begin`: the text up to the bracket of the list. A damaged element after the page is not an error
 * of this page.
 */
export async function* pageOf(
  begin: string,
  elements: AsyncIterable<Sized>,
  limit: number,
): AsyncGenerator<Piece> {
  let told = 0
  let bytes = 0
  let more = false
  yield begin
  try {
    for await (const { text, bytes: own } of elements) {
      bytes += own
      more = told === limit || (told > 0 && bytes > largeFrom)
      if (more) break
      const next = told === 0 ? text : joined(',', text)
      if (isLong(next)) yield* next
      else yield next
      told++
    }
  } catch (error) {
    if (told < limit) throw error
    more = true
  }
  yield `],"has_more":${more}}`
}

type Bounds = { limit?: number | undefined; atMost?: number }
/** Elements on one line each: at most `limit`, and of `atMost` bytes together unless there is only one. */
export async function* linesOf(
  elements: AsyncIterable<Sized>,
  { limit = Number.POSITIVE_INFINITY, atMost = Number.POSITIVE_INFINITY }: Bounds,
): AsyncGenerator<Piece> {
  let told = 0
  let bytes = 0
  for await (const { text, bytes: own } of elements) {
    bytes += own
    if (told > 0 && bytes > atMost) return
    const line = joined(text, '\n')
    if (isLong(line)) yield* line
    else yield line
    if (++told === limit) return
  }
}
