// Keeps the contents of a folder, and restores them. A state is kept by reference: the bytes of files lie as pieces in
// packs, to which each state adds only new pieces. The reference holds the hash of the listing that names the pieces.
// Packs that neither the newest state nor the one before it needs are removed. Both states stay because the log may
// still name the older one.
import { closeSync, fsyncSync, lstatSync, mkdirSync, openSync } from 'node:fs'
import path from 'node:path'
import { bytesOf, type Found, readable, signatureOf } from './found.ts'
import { createListing, readListing } from './listing.ts'
import { type Piece, readPacks, removePacks, sha256, writePacks } from './packs.ts'
import { putBack } from './put-back.ts'
import { isReadable, readPieces } from './read-pieces.ts'

// What a process remembers of a kept state: the pieces of each file, and the sizes of the packs that hold them.

/** The signature is undefined when the file may have changed without a difference in its times. */
type KnownFile = { pieces: Piece[]; signature: string | undefined }
/** `files` by name, `pieces` by SHA-256, `sizes` in bytes by pack. */
type State = {
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

const emptyState = (): State => ({ files: new Map(), pieces: new Map(), sizes: new Map() })

const remember = (state: State, name: string, known: KnownFile): void => {
  state.files.set(name, known)
  for (const piece of known.pieces) state.pieces.set(piece.sha256, piece)
}

/** Packs that waste room. The next state writes their pieces into other packs; then these packs can be removed. */
const wastedIn = ({ pieces, sizes }: State): Set<string> => {
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
const packsOf = (listings: Piece[], states: State[]): Set<string> =>
  new Set([...listings, ...states.flatMap(({ pieces }) => [...pieces.values()])].map(({ pack }) => pack))

// Describes errors of the system about reading and writing files, in words that never contain a path of the machine.

const reasons: Record<string, string | undefined> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota of the system is used up',
  EFBIG: 'a file would be longer than the quota of the user allows',
}

const worded = (error: unknown): unknown => {
  const { code } = error as { code?: unknown }
  return typeof code === 'string' ? new Error(reasons[code] ?? `its files cannot be used (${code})`) : error
}

/** Where the listing of a state lies; this is all that the log has to store of the state. */
export type Reference = Piece
export type Keeping = {
  /** Called for everything in the folder that cannot be kept. */
  leaveOut(what: string): void
  /** Whether the packs of earlier states stay. */
  keepOld: boolean
}

/**
 * A file that was changed less than this many milliseconds before it is looked at may change again while its times stay
 * the same.
 */
const restlessMs = 100
/** Creates the folder and syncs its directory entry, so that the folder survives a crash of the machine. */
const makeFolder = (folder: string): void => {
  if (lstatSync(folder, { throwIfNoEntry: false }) !== undefined) return
  mkdirSync(folder, { mode: 0o700 })
  const above = openSync(path.dirname(folder), 'r')
  fsyncSync(above)
  closeSync(above)
}

/** `folder` holds the packs; it is created with the first state. */
export const createKept = (folder: string) => {
  let now = emptyState()
  let newest: Reference | undefined

  const keep = (root: string, found: Iterable<Found>, { leaveOut, keepOld }: Keeping): Reference => {
    makeFolder(folder)
    const began = Date.now()
    const next = emptyState()
    const wasted = wastedIn(now)
    const packs = writePacks(folder)
    const listing = createListing()
    /** Finds these bytes in a pack, or adds them to a new pack. */
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
      const needed = packsOf([reference, ...(newest === undefined ? [] : [newest])], [next, now])
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

  /** `found` is what `root` holds now. Whatever differs there from the kept state is removed or replaced. */
  const restore = (root: string, found: Found[], reference: Reference): void => {
    const packs = readPacks(folder)
    const state = emptyState()
    try {
      putBack(root, [...readListing(packs.read(reference))], {
        found,
        read: packs.read,
        put({ path: name, pieces }, stats) {
          const signature = stats.ctimeMs < Date.now() - restlessMs ? signatureOf(stats) : undefined
          remember(state, name, { pieces, signature })
        },
      })
      now = { ...state, sizes: packs.sizes() }
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
