// Pack files hold pieces of files, one after another; they are written once and never changed. A pack is synced to the
// disk before anything refers to it. So a process that is killed can leave unused packs, but no incomplete state.
import { hash, randomUUID } from 'node:crypto'
import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
  writeSync,
} from 'node:fs'
import path from 'node:path'
import { damagedState } from '../../../../contract/environment.ts'

/** The place of some bytes, and their SHA-256. */
export type Piece = { sha256: string; pack: string; offset: number; length: number }

/** The greatest size of a pack with several pieces, in bytes. */
const longestPack = 256 << 20

export const sha256 = (bytes: Buffer): string => hash('sha256', bytes, 'base64url')

const sync = (place: string): void => {
  const file = openSync(place, 'r')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

/** Writes pieces into new packs in an existing folder. */
export const writePacks = (folder: string) => {
  const sizes = new Map<string, number>()
  let open: { pack: string; file: number; bytes: number } | undefined

  const end = (): void => {
    if (open === undefined) return
    const { file } = open
    open = undefined
    try {
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
  }
  const packFor = (bytes: number) => {
    if (open !== undefined && open.bytes > 0 && open.bytes + bytes > longestPack) end()
    if (open !== undefined) return open
    const pack = `${randomUUID()}.pack`
    sizes.set(pack, 0)
    open = { pack, file: openSync(path.join(folder, pack), 'wx', 0o600), bytes: 0 }
    return open
  }
  return {
    add(bytes: Buffer, name = sha256(bytes)): Piece {
      const into = packFor(bytes.length)
      const offset = into.bytes
      for (let written = 0; written < bytes.length; ) written += writeSync(into.file, bytes, written)
      into.bytes += bytes.length
      sizes.set(into.pack, into.bytes)
      return { sha256: name, pack: into.pack, offset, length: bytes.length }
    },
    /** Syncs all packs to the disk, and returns their sizes in bytes. */
    finish(): Map<string, number> {
      end()
      sync(folder)
      return sizes
    },
    discard(): void {
      if (open !== undefined) closeSync(open.file)
      for (const pack of sizes.keys()) rmSync(path.join(folder, pack), { force: true })
    },
  }
}

const damaged = (): never => {
  throw new Error(`${damagedState}; create a new session`)
}

/** Reads pieces, and compares each with its hash. */
export const readPacks = (folder: string) => {
  const files = new Map<string, number>()
  const fileOf = (pack: string): number => {
    const known = files.get(pack)
    if (known !== undefined) return known
    if (path.basename(pack) !== pack) return damaged()
    try {
      const file = openSync(path.join(folder, pack), constants.O_RDONLY | constants.O_NOFOLLOW)
      files.set(pack, file)
      return file
    } catch (error) {
      // It may only be away, like a disk that is not mounted.
      if ((error as { code?: string }).code === 'ENOENT')
        throw new Error('a file of its kept state is missing')
      throw error
    }
  }
  return {
    read({ pack, offset, length, sha256: wanted }: Piece): Buffer {
      const file = fileOf(pack)
      const bytes = Buffer.allocUnsafe(length)
      for (let got = 0; got < length; ) {
        const more = readSync(file, bytes, got, length - got, offset + got)
        if (more === 0) damaged()
        got += more
      }
      return sha256(bytes) === wanted ? bytes : damaged()
    },
    sizes: (): Map<string, number> => new Map([...files].map(([pack, file]) => [pack, fstatSync(file).size])),
    close(): void {
      for (const file of files.values()) closeSync(file)
    },
  }
}

/** Removes all packs except these. */
export const removePacks = (folder: string, but: ReadonlySet<string>): void => {
  for (const name of readdirSync(folder)) if (!but.has(name)) rmSync(path.join(folder, name), { force: true })
}
