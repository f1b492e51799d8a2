// Lists the contents of a folder, with the data that shows whether a file has changed. The bytes of a name are read as
// Latin-1, one character for each byte, so that a name that is not valid UTF-8 is kept, too.
import { chmodSync, lstatSync, readdirSync, readlinkSync, type Stats } from 'node:fs'

export type Found = { path: string } & (
  | { is: 'folder'; mode: number; changed: number }
  | {
      is: 'file'
      mode: number
      changed: number
      size: number
      names: number
      signature: string
      touched: number
    }
  | { is: 'link'; to: string }
  /** A pipe, a socket or a device. */
  | { is: 'other'; kind: string }
)

export const bytesOf = (name: string): Buffer => Buffer.from(name, 'latin1')
/** The name as UTF-8 text, for a person. */
export const readable = (name: string): string => bytesOf(name).toString('utf8')
export const nameOf = (text: string): string => Buffer.from(text).toString('latin1')

const kindOf = (stats: Stats): string =>
  stats.isFIFO() ? 'a named pipe' : stats.isSocket() ? 'a socket' : 'a device'

/** A text that changes with the file, unless the change came so soon after the last one that the times are equal. */
export const signatureOf = ({ ino, size, mtimeMs, ctimeMs }: Stats): string =>
  `${ino} ${size} ${mtimeMs} ${ctimeMs}`

const foundAt = (at: string, path: string): Found => {
  const stats = lstatSync(bytesOf(at))
  const mode = stats.mode & 0o777
  const changed = Math.round(stats.mtimeMs)
  if (stats.isDirectory()) return { path, is: 'folder', mode, changed }
  if (stats.isSymbolicLink()) return { path, is: 'link', to: readlinkSync(bytesOf(at), 'latin1') }
  if (!stats.isFile()) return { path, is: 'other', kind: kindOf(stats) }
  return {
    path,
    is: 'file',
    mode,
    changed,
    size: stats.size,
    names: stats.nlink,
    signature: signatureOf(stats),
    touched: stats.ctimeMs,
  }
}

/** Reads one file, by its name relative to the root. */
export const foundFile = (root: string, name: string): Found =>
  foundAt(nameOf(`${root}/${name}`), nameOf(name))

/**
 * Lists everything below the root, each folder before its contents; links are not followed. A folder that its owner may
 * not enter gets more permissions; `close` restores the old ones.
 */
export const findBelow = (root: string) => {
  const opened: [at: string, mode: number][] = []
  const namesIn = (at: string, mode: number): string[] => {
    if ((mode & 0o500) !== 0o500) {
      chmodSync(bytesOf(at), mode | 0o700)
      opened.push([at, mode])
    }
    return readdirSync(bytesOf(at), 'latin1')
  }
  function* below(at: string, mode: number, path: string): Generator<Found> {
    for (const name of namesIn(at, mode).sort()) {
      const inside = path === '' ? name : `${path}/${name}`
      const found = foundAt(`${at}/${name}`, inside)
      yield found
      if (found.is === 'folder') yield* below(`${at}/${name}`, found.mode, inside)
    }
  }
  return {
    all: (): Generator<Found> => below(nameOf(root), 0o700, ''),
    close(): void {
      for (const [at, mode] of opened) chmodSync(bytesOf(at), mode)
    },
  }
}
