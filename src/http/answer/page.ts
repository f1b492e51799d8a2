// Pages of an answer, limited in number and length: as JSON with a field that says whether there is more, or as lines.
import { isLong, joined, largeFrom, type Piece, type Sized } from '../../platform/pieces.ts'
import { listBegun } from './envelope.ts'

/** The text around the elements of a page: up to the bracket of the list, and from its other bracket on. */
type Around<Element> = { begun: string; ended: (hasMore: boolean, last: Element | undefined) => string }

/** The end of a page in an envelope. */
const saysMore = (hasMore: boolean): string => `],"has_more":${hasMore}}`

/** A page in an envelope. */
export const inEnvelope = (id: string) => ({ begun: listBegun(id), ended: saysMore })

/**
 * A JSON object that ends with a page of at most `limit` elements, and of limited length. The first element is included
 * however long it is. A damaged element after the page is not an error of this page.
 */
export async function* pageOf<Element extends Sized>(
  { begun, ended }: Around<Element>,
  elements: AsyncIterable<Element>,
  limit: number,
): AsyncGenerator<Piece> {
  let told = 0
  let bytes = 0
  let more = false
  let last: Element | undefined
  yield begun
  try {
    for await (const element of elements) {
      const { text, bytes: own } = element
      bytes += own
      more = told === limit || (told > 0 && bytes > largeFrom)
      if (more) break
      last = element
      const next = told === 0 ? text : joined(',', text)
      if (isLong(next)) yield* next
      else yield next
      told++
    }
  } catch (error) {
    if (told < limit) throw error
    more = true
  }
  yield ended(more, last)
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
