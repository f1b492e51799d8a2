// What a process remembers of a kept state: the pieces of each file, and the sizes of the packs that hold them.
import type { Piece } from './packs.ts'

/** The signature is undefined when the file may have changed without a difference in its times. */
type KnownFile = { pieces: Piece[]; signature: string | undefined }
/** `files` by name, `pieces` by SHA-256, `sizes` in bytes by pack. */
export type State = {
  files: Map<string, KnownFile>
  pieces: Map<string, Piece>
  sizes: Map<string, number>
}

/** The number of packs above which small packs are merged. */
const maxPacks = 64
/** A pack is small if fewer bytes than this are in use in it. */
const smallPack = 1 << 20
/** A pack with at most this many unused bytes stays: to free so few is not worth writing its other pieces again. */
const leastWaste = 256 << 10

export const emptyState = (): State => ({ files: new Map(), pieces: new Map(), sizes: new Map() })

export const remember = (state: State, name: string, known: KnownFile): void => {
  state.files.set(name, known)
  for (const piece of known.pieces) state.pieces.set(piece.sha256, piece)
}

/** Packs that waste room. The next state writes their pieces into other packs; then these packs can be removed. */
export const wastedIn = ({ pieces, sizes }: State): Set<string> => {
  const used = new Map<string, number>()
  for (const { pack, length } of pieces.values()) used.set(pack, (used.get(pack) ?? 0) + length)
  const isCrowded = used.size > maxPacks
  const isWasted = ([pack, bytes]: [string, number]) => {
    const waste = (sizes.get(pack) ?? 0) - bytes
    return (waste > leastWaste && 2 * waste > bytes) || (isCrowded && bytes < smallPack)
  }
  return new Set([...used].filter(isWasted).map(([pack]) => pack))
}

/** The packs that hold these listings, and the files of these states. */
export const packsOf = (listings: Piece[], states: State[]): Set<string> =>
  new Set([...listings, ...states.flatMap(({ pieces }) => [...pieces.values()])].map(({ pack }) => pack))
