// Archives of plain files (POSIX ustar, compressed with gzip), written and read without a library. When an archive is
// read, the caller says which names are allowed, so no file is written at an unexpected place.
import { createReadStream, createWriteStream, mkdirSync, statSync } from 'node:fs'
import path from 'node:path'
import { Readable, type Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'

const block = 512
const nameBytes = 100
const checksumAt = 148
const sizeAt = 124
const kindAt = 156

/** The archive is damaged, or holds something else than plain files with short names. */
export class BadArchive extends Error {}

const octal = (value: number, width: number): string => `${value.toString(8).padStart(width - 1, '0')}\0`

/** The sum of all bytes, with spaces in place of the sum itself. */
const checksumOf = (header: Buffer): number => {
  let sum = 0
  for (let at = 0; at < block; at++) sum += at >= checksumAt && at < checksumAt + 8 ? 0x20 : (header[at] ?? 0)
  return sum
}

const headerOf = (name: string, size: number, seconds: number): Buffer => {
  const header = Buffer.alloc(block)
  header.write(name, 0, nameBytes)
  header.write(octal(0o644, 8), 100)
  header.write(octal(0, 8), 108)
  header.write(octal(0, 8), 116)
  header.write(octal(size, 12), sizeAt)
  header.write(octal(seconds, 12), 136)
  header.write('0', kindAt)
  header.write('ustar\x0000', 257)
  header.write(`${octal(checksumOf(header), 7)} `, checksumAt)
  return header
}

const padding = (size: number): Buffer => Buffer.alloc((block - (size % block)) % block)

async function* entriesOf(
  root: string,
  names: Iterable<string> | AsyncIterable<string>,
): AsyncGenerator<Buffer> {
  for await (const name of names) {
    const file = path.join(root, name)
    const { size, mtimeMs } = statSync(file)
    yield headerOf(name, size, Math.floor(mtimeMs / 1000))
    yield* createReadStream(file)
    yield padding(size)
  }
  yield Buffer.alloc(2 * block)
}

/** Writes files of the folder `root` into an archive. Names are relative paths of at most 100 ASCII characters. */
export const pack = async (root: string, names: readonly string[], archive: string): Promise<void> =>
  pipeline(
    Readable.from(entriesOf(root, names)),
    createGzip(),
    createWriteStream(archive, { flags: 'wx', mode: 0o600 }),
  )

/** Yields the bytes of such an archive. A file is read only when the bytes of the files before it were taken. */
export async function* archiveOf(root: string, names: AsyncIterable<string>): AsyncGenerator<Buffer> {
  const entries = Readable.from(entriesOf(root, names), { objectMode: true, highWaterMark: 1 })
  const zipped = createGzip()
  entries.on('error', error => zipped.destroy(error))
  try {
    yield* entries.pipe(zipped)
  } finally {
    entries.destroy()
    zipped.destroy()
  }
}

type Entry = { name: string; size: number }

const textAt = (header: Buffer, at: number, width: number): string =>
  header
    .toString('latin1', at, at + width)
    .split('\0')[0]
    ?.trim() ?? ''

/** Undefined: the archive ends here. Throws BadArchive. */
const readHeader = (header: Buffer): Entry | undefined => {
  if (header.every(byte => byte === 0)) return undefined
  const [name, kind] = [textAt(header, 0, nameBytes), textAt(header, kindAt, 1)]
  const [size, sum] = [textAt(header, sizeAt, 12), textAt(header, checksumAt, 8)]
  if (!/^[0-7]+$/.test(size) || Number.parseInt(sum, 8) !== checksumOf(header))
    throw new BadArchive('the archive is damaged')
  if (kind === '5') return { name: '', size: 0 }
  if (kind !== '0' && kind !== '')
    throw new BadArchive(`the archive holds ${JSON.stringify(name)}, which is no plain file`)
  return { name: name.replace(/^\.\//, ''), size: Number.parseInt(size, 8) }
}

/** Takes parts of the source: some bytes, or exactly as many as are asked for. */
const createTaker = (source: AsyncIterator<Buffer>) => {
  let rest: Buffer = Buffer.alloc(0)
  return {
    /** Resolves to the bytes that have come, at most `most` of them; empty at the end. */
    async some(most: number): Promise<Buffer> {
      while (rest.length === 0) {
        const { value, done } = await source.next()
        if (done) return rest
        rest = value
      }
      const taken = rest.subarray(0, most)
      rest = rest.subarray(taken.length)
      return taken
    },
    async exactly(count: number): Promise<Buffer> {
      const parts: Buffer[] = []
      for (let missing = count; missing > 0; ) {
        const part = await this.some(missing)
        if (part.length === 0) throw new BadArchive('the archive is cut off')
        parts.push(part)
        missing -= part.length
      }
      return Buffer.concat(parts)
    },
  }
}

const contentOf = async function* (
  taker: ReturnType<typeof createTaker>,
  size: number,
): AsyncGenerator<Buffer> {
  for (let missing = size; missing > 0; ) {
    const part = await taker.some(missing)
    if (part.length === 0) throw new BadArchive('the archive is cut off')
    missing -= part.length
    yield part
  }
}

/**
 * Writes the files of an archive into an empty folder. `isAllowed` says which names are allowed. A file with another
 * name is not written, and the archive is refused. Rejects with BadArchive, and with errors of the system.
 */
export const unpack = async (
  archive: string,
  folder: string,
  isAllowed: (name: string) => boolean,
): Promise<void> => {
  const gunzip: Transform = createGunzip()
  const source = createReadStream(archive)
  source.on('error', error => gunzip.destroy(error))
  const taker = createTaker(source.pipe(gunzip)[Symbol.asyncIterator]())
  try {
    for (;;) {
      const entry = readHeader(await taker.exactly(block))
      if (entry === undefined) return
      const { name, size } = entry
      if (name === '') continue
      if (!isAllowed(name))
        throw new BadArchive(`the archive holds ${JSON.stringify(name)}, which does not belong to it`)
      const file = path.join(folder, name)
      mkdirSync(path.dirname(file), { recursive: true })
      await pipeline(contentOf(taker, size), createWriteStream(file, { flags: 'wx', mode: 0o600 }))
      await taker.exactly(padding(size).length)
    }
  } catch (error) {
    const { code = '', message } = error as { code?: string; message: string }
    if (/^Z_/.test(code)) throw new BadArchive(`the archive is damaged: ${message}`)
    if (code === 'EEXIST') throw new BadArchive('the archive holds a file twice')
    throw error
  } finally {
    source.destroy()
    gunzip.destroy()
  }
}
