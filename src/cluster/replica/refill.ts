// Makes batches to publish from the rows that a node has and the shared log lacks: the servers have lost these rows, or
// the log of a single machine becomes that of a cluster.
import { erasedPartsOf, erasureStream } from '../../contract/erased-range.ts'
import { isErased, isLong } from '../../log/fits.ts'
import type { PackedBatch, Piece, Row, Store } from '../../log/store.ts'

/** The most rows in one batch, and the most characters unless a row alone has more: the servers store one record after the other. */
const [batchRows, batchChars] = [1024, 512 * 1024]
/** Characters of one piece of a long payload. */
const pieceChars = 256 * 1024

type Local = Pick<Store, 'page' | 'headOf' | 'longPayload'>
/**
 * A batch, with the digests and the pieces of its long payloads. The number of a long payload is the position of its
 * event.
 */
export type Refilling = { batch: PackedBatch; digests: Map<number, string>; pieces: Iterable<Piece> }

const digestEnd = ',"digest":"'.length + 43 + '"}'.length
const digestOfHeader = (header: string): string => header.slice(-45, -2)

const erasedIn = (row: Row): PackedBatch['erasures'] => {
  if (row.stream !== erasureStream) return []
  const parts = erasedPartsOf(row)
  const [first] = parts
  if (first === undefined) return []
  const [, { from, to }] = first
  return [{ position: row.position, erased: { streams: parts.map(([stream]) => stream), from, to } }]
}

/** The index at which the piece ends that begins at `from`. It is never within a pair of surrogates. */
const endOfPiece = (text: string, from: number): number => {
  const end = from + pieceChars
  return /[\ud800-\udbff]/.test(text.charAt(end - 1)) ? end + 1 : end
}

function* piecesOf(local: Local, rows: readonly Row[]): Generator<Piece> {
  for (const { position: payload, salt } of rows) {
    const text = local.longPayload(payload) ?? ''
    for (let n = 0, from = 0; from < text.length; n++) {
      const end = endOfPiece(text, from)
      yield { payload, n, salt: salt ?? '', text: text.slice(from, end) }
      from = end
    }
  }
}

const charsOf = ({ header, payload }: Row): number => header.length + (payload?.length ?? 0)
/** The first of these rows, as many as a batch takes. */
const batchOf = (rows: readonly Row[]): readonly Row[] => {
  let chars = 0
  const end = rows.findIndex(row => {
    chars += charsOf(row)
    return chars > batchChars
  })
  return end === -1 ? rows : rows.slice(0, Math.max(1, end))
}

/** Yields batches of the rows after a position. */
export function* refillings(local: Local, after: number): Generator<Refilling> {
  const numbers = new Map<string, number>()
  const noOf = (stream: string): number => {
    const no = numbers.get(stream) ?? local.headOf(stream)?.no ?? 0
    numbers.set(stream, no)
    return no
  }
  // Where rows are long, few are read at a time.
  for (let [from, read] = [after, batchRows]; ; ) {
    const rows = batchOf(local.page(from, read))
    read = Math.min(batchRows, 2 * rows.length)
    const last = rows.at(-1)
    if (last === undefined) return
    const long = rows.filter(isLong)
    yield {
      batch: {
        first: from + 1,
        streamNos: rows.map(({ stream }) => noOf(stream)),
        revisions: rows.map(({ revision }) => revision),
        texts: rows.flatMap(row => [row.header.slice(0, -digestEnd), row.payload ?? '', row.salt ?? '']),
        newStreams: rows
          .filter(({ revision }) => revision === 0)
          .map(({ stream }) => ({ no: noOf(stream), id: stream })),
        long: long.map(({ position }) => ({ position, payload: position })),
        erasures: rows.flatMap(erasedIn),
        gone: rows
          .filter(isErased)
          .map(({ position, header }) => ({ position, digest: digestOfHeader(header) })),
      },
      digests: new Map(long.map(({ position, header }) => [position, digestOfHeader(header)])),
      pieces: piecesOf(local, long),
    }
    from = last.position
  }
}
