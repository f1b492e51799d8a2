// Keeps what is below a folder, and brings it back. A state is kept by reference: the bytes of files lie as pieces in
// packs, of which each state adds only what is new, and the reference holds the hash of the listing that names them.
// What the newest state and the one before do not need is removed: which of the two counts is for the log to say.
import { closeSync, fsyncSync, lstatSync, mkdirSync, openSync } from 'node:fs'
import path from 'node:path'
import { worded } from './disk-errors.ts'
import { bytesOf, type Found, readable, signatureOf } from './found.ts'
import { createListing, readListing } from './listing.ts'
import { type Piece, readPacks, removePacks, sha256, writePacks } from './packs.ts'
import { putBack } from './put-back.ts'
import { isReadable, readPieces } from './read-pieces.ts'

/** All that has to be remembered of a state: where its listing lies. */
export type Reference = Piece
export type Keeping = {
  /** Hears of what is there and is not kept. */
  leaveOut(what: string): void
  /** What earlier states need is not removed. */
  keepOld: boolean
}

/** A file that was changed so shortly before a look may change again without a difference in its times. */
const restlessMs = 100
/** With more packs than this, small ones are written together. */
const mostPacks = 64
const smallPack = 1 << 20
/** Bytes in a pack that are needed no more, and not worth the work to be rid of them. */
const leastWaste = 256 << 10

type Known = { pieces: Piece[]; signature: string | undefined }
type State = { files: Map<string, Known>; pieces: Map<string, Piece>; sizes: Map<string, number> }

const emptyState = (): State => ({ files: new Map(), pieces: new Map(), sizes: new Map() })

const remember = (state: State, name: string, known: Known): void => {
  state.files.set(name, known)
  for (const piece of known.pieces) state.pieces.set(piece.sha256, piece)
}

/** Packs that are not worth their room: their pieces are written again, and they can go. */
const wastedIn = ({ pieces, sizes }: State): Set<string> => {
  const used = new Map<string, number>()
  for (const { pack, length } of pieces.values()) used.set(pack, (used.get(pack) ?? 0) + length)
  const isCrowded = used.size > mostPacks
  const isWasted = ([pack, bytes]: [string, number]) => {
    const waste = (sizes.get(pack) ?? 0) - bytes
    return (waste > leastWaste && 2 * waste > bytes) || (isCrowded && bytes < smallPack)
  }
  return new Set([...used].filter(isWasted).map(([pack]) => pack))
}

/** `folder`: where packs lie, made when there is something to keep. */
export const createKept = (folder: string) => {
  let now = emptyState()
  let newest: Reference | undefined

  const makeFolder = (): void => {
    if (lstatSync(folder, { throwIfNoEntry: false }) !== undefined) return
    mkdirSync(folder, { mode: 0o700 })
    const above = openSync(path.dirname(folder), 'r')
    fsyncSync(above)
    closeSync(above)
  }

  const keep = (root: string, found: Iterable<Found>, { leaveOut, keepOld }: Keeping): Reference => {
    makeFolder()
    const began = Date.now()
    const next = emptyState()
    const wasted = wastedIn(now)
    const packs = writePacks(folder)
    const listing = createListing()
    /** Where these bytes lie already, or from now on. */
    const placeOf = (bytes: Buffer): Piece => {
      const name = sha256(bytes)
      const known = next.pieces.get(name) ?? now.pieces.get(name)
      const piece = known === undefined || wasted.has(known.pack) ? packs.add(bytes, name) : known
      next.pieces.set(name, piece)
      return piece
    }
    const piecesOf = ({ path: name, signature, mode }: Found & { is: 'file' }): Piece[] => {
      const known = now.files.get(name)
      const isSame = known?.signature === signature && !known.pieces.some(({ pack }) => wasted.has(pack))
      if (isSame) return known.pieces
      return readPieces(Buffer.concat([Buffer.from(`${root}/`), bytesOf(name)]), mode, placeOf)
    }
    const keepFile = (one: Found & { is: 'file' }): void => {
      const pieces = piecesOf(one)
      const signature = one.touched < began - restlessMs ? one.signature : undefined
      remember(next, one.path, { pieces, signature })
      listing.add({ ...one, pieces })
    }
    try {
      for (const one of found) {
        if (one.is === 'other') leaveOut(`${readable(one.path)} is ${one.kind}`)
        else if (one.is !== 'file') listing.add(one)
        else if (!isReadable(() => keepFile(one))) leaveOut(`${readable(one.path)} may not be read`)
      }
      const text = listing.bytes()
      if (newest?.sha256 === sha256(text)) {
        packs.discard()
        now = { ...next, sizes: now.sizes }
        return newest
      }
      const reference = packs.add(text)
      const sizes = [...now.sizes, ...packs.finish()]
      const needed = new Set([reference.pack, newest?.pack ?? ''])
      for (const { pieces } of [next, now]) for (const { pack } of pieces.values()) needed.add(pack)
      for (const [pack, bytes] of sizes) if (needed.has(pack)) next.sizes.set(pack, bytes)
      if (!keepOld) removePacks(folder, needed)
      now = next
      newest = reference
      return reference
    } catch (error) {
      packs.discard()
      throw worded(error)
    }
  }

  /** `found`: what is there; what is not the same as it was kept goes. */
  const restore = (root: string, found: Found[], reference: Reference): void => {
    const packs = readPacks(folder)
    const state = emptyState()
    try {
      const listed = [...readListing(packs.read(reference))]
      putBack(root, listed, {
        found,
        read: packs.read,
        put({ path: name, pieces }, stats) {
          const signature = stats.ctimeMs < Date.now() - restlessMs ? signatureOf(stats) : undefined
          remember(state, name, { pieces, signature })
        },
      })
      for (const [pack, bytes] of packs.sizes()) state.sizes.set(pack, bytes)
      now = state
      newest = reference
    } catch (error) {
      throw worded(error)
    } finally {
      packs.close()
    }
  }
  return { keep, restore }
}
export type Kept = ReturnType<typeof createKept>
