// Pieces that follow one another and are of one kind make a block: a thought, a text, a call. Messages and Responses
// tell where each block begins and ends, and all protocols need whole blocks for an answer that is not streamed.
import type { Piece } from './answer-pieces.ts'

/** `text`: the text so far; of a call, its arguments. `signature`: of reasoning, if it is signed. */
export type Block = {
  kind: 'reasoning' | 'redacted' | 'text' | 'refusal' | 'call'
  text: string
  signature?: string
  id: string
  name: string
  extra: Record<string, unknown>
}
export type BlockStep = { block: Block; index: number } & (
  | { at: 'start' }
  | { at: 'piece'; piece: Piece }
  | { at: 'end' }
)

const blockOf = (piece: Piece): Block => {
  const empty = { text: '', id: '', name: '', extra: {} }
  if (piece.kind === 'call') return { ...empty, ...piece }
  const kind =
    piece.kind === 'signature' ? 'reasoning' : piece.kind === 'arguments' ? ('call' as const) : piece.kind
  return { ...empty, kind, text: kind === 'redacted' ? piece.text : '' }
}

/** Whether a piece goes on with a block that another piece has begun. */
const goesOn = ({ kind }: Block, piece: Piece): boolean =>
  piece.kind === 'arguments'
    ? kind === 'call'
    : piece.kind === 'signature'
      ? kind === 'reasoning'
      : kind === piece.kind && kind !== 'call' && kind !== 'redacted'

const take = (block: Block, piece: Piece): void => {
  if (piece.kind === 'signature') block.signature = piece.text
  else if (piece.kind !== 'call' && piece.kind !== 'redacted') block.text += piece.text
}

/** The pieces, with the start and the end of each block. Pieces that begin a call or are a whole block are its start. */
export function* stepsOf(pieces: Iterable<Piece>): Generator<BlockStep> {
  let block: Block | undefined
  let index = -1
  for (const piece of pieces) {
    if (block === undefined || !goesOn(block, piece)) {
      if (block !== undefined) yield { at: 'end', block, index }
      block = blockOf(piece)
      index++
      yield { at: 'start', block, index }
    }
    if (piece.kind === 'call' || piece.kind === 'redacted') continue
    take(block, piece)
    yield { at: 'piece', piece, block, index }
  }
  if (block !== undefined) yield { at: 'end', block, index }
}

export const blocksOf = (pieces: Iterable<Piece>): Block[] =>
  [...stepsOf(pieces)].flatMap(({ at, block }) => (at === 'end' ? [block] : []))
