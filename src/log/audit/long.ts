// Reads long payloads for the audit trail. Each piece of a payload is read twice: first to compute the digest, one
// piece in each turn of the event loop, and again when the answer takes the text.
import { DamagedEvent } from '../../contract/stored.ts'
import { openDigest } from '../leaf.ts'
import { type ReadLong, readable } from './rows.ts'
import type { Statements } from './statements.ts'

export const longReader =
  ({ payloadAt, piece }: Pick<Statements, 'payloadAt' | 'piece'>, turn: () => Promise<void>): ReadLong =>
  async ({ position, salt }) => {
    const here = () => position
    const no = readable(() => payloadAt.get(position), here)
    if (no === undefined) return undefined
    const pieceOf = (n: number) => readable(() => piece.get(no, n), here)
    const digest = openDigest(salt ?? '')
    const begin = pieceOf(0)?.slice(0, 1) ?? ''
    let bytes = 0
    let count = 0
    for (let text = pieceOf(0); text !== undefined; text = pieceOf(++count)) {
      digest.add(text)
      bytes += Buffer.byteLength(text)
      await turn()
    }
    function* pieces() {
      for (let n = 0; n < count; n++) {
        const text = pieceOf(n)
        if (text === undefined) throw new DamagedEvent(position, 'has lost a piece of its payload')
        yield text
      }
    }
    return { text: { bytes, pieces }, digest: digest.end(), begin }
  }
