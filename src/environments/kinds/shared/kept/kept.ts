// Keeps the contents of a folder, and restores them. A state is kept by reference: the bytes of files lie as pieces in
// packs, to which each state adds only new pieces. The reference holds the hash of the listing that names the pieces.
// Packs that neither the newest state nor the one before it needs are removed. Both states stay because the log may
// still name the older one.
import { closeSync, fsyncSync, lstatSync, mkdirSync, openSync } from 'node:fs'
import path from 'node:path'
import { worded } from './disk-errors.ts'
import { bytesOf, type Found, readable, signatureOf } from './found.ts'
import { emptyState, packsOf, remember, wastedIn } from './kept-state.ts'
import { createListing, readListing } from './listing.ts'
import { type Piece, readPacks, removePacks, sha256, writePacks } from './packs.ts'
import { putBack } from './put-back.ts'
import { isReadable, readPieces } from './read-pieces.ts'

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
