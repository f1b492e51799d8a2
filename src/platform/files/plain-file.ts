// Opens files that another program may have replaced by a folder, a link or a FIFO. Opening a FIFO in the usual way
// waits for ever.
import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  lstatSync,
  openSync,
  readFileSync,
  renameSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs'
import { type FileHandle, open, rename, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'

const { O_CREAT, O_NONBLOCK, O_RDONLY, O_TRUNC, O_WRONLY } = constants
/** Flags to open a file for reading. With them, opening a FIFO does not wait for a writer. */
const forReading = O_RDONLY | O_NONBLOCK
/** For the option `flag` of `writeFile`: like `w`, but opening a FIFO without a reader is an error. */
export const plainWrite = O_WRONLY | O_CREAT | O_TRUNC | O_NONBLOCK

const kindOf = (found: Stats): string => {
  if (found.isFile()) return 'file'
  if (found.isDirectory()) return 'folder'
  return found.isFIFO() ? 'FIFO' : found.isSocket() ? 'socket' : 'device'
}

/** What `whatStandsAt` calls a link whose target is not there, or is itself. */
export const nowhere = 'link that leads nowhere'

/** The kind of thing at a path, such as `file` or `folder`; undefined when nothing is there. Links are followed. */
export const whatStandsAt = (path: string): string | undefined => {
  try {
    return kindOf(statSync(path))
  } catch (error) {
    if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) return nowhere
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw error
  }
}

const notPlain = (path: string, found: Stats): Error => new Error(`${path} is a ${kindOf(found)}, not a file`)

/** The text of a plain file. Throws the error of the system, or an error when the path is not a plain file. */
export const readPlainFile = (path: string): string => {
  const file = openSync(path, forReading)
  try {
    const found = fstatSync(file)
    if (!found.isFile()) throw notPlain(path, found)
    return readFileSync(file, 'utf8')
  } finally {
    closeSync(file)
  }
}

/** The text of a plain file, read asynchronously. Rejects with the errors that `readPlainFile` throws. */
export const readPlainFileLater = async (path: string): Promise<string> => {
  let file: FileHandle | undefined
  try {
    file = await open(path, forReading)
    const found = await file.stat()
    if (!found.isFile()) throw notPlain(path, found)
    return await file.readFile('utf8')
  } finally {
    await file?.close()
  }
}

/**
 * Writes a file that only the system user of this process may read. The file is on the disk when this returns. Throws
 * errors of the system.
 */
export const writeSynced = (path: string, text: string): void => {
  const file = openSync(path, plainWrite, 0o600)
  try {
    writeFileSync(file, text)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

/** Syncs a folder, so that a failure of the power undoes nothing that was made, renamed or removed in it. */
export const syncFolder = async (folder: string): Promise<void> => {
  const opened = await open(folder)
  await opened.sync().finally(() => opened.close())
}

/** Syncs a file or a folder. The event loop waits meanwhile. */
export const syncFile = (path: string): void => {
  const file = openSync(path, O_RDONLY)
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

/** Syncs a file, while the event loop goes on. The file must exist. */
export const syncFileLater = async (file: string): Promise<void> => {
  const opened = await open(file, 'r+')
  await opened.sync().finally(() => opened.close())
}

/** Replaces a small file. A crash leaves the old or the new file whole. Rejects with errors of the system. */
export const replaceFile = async (path: string, text: string): Promise<void> => {
  await writeFile(`${path}.new`, text, { mode: 0o600, flag: plainWrite, flush: true })
  await rename(`${path}.new`, path)
}

/** Renames a file. The new name is on the disk when this returns. Throws errors of the system. */
export const renameSynced = (from: string, to: string): void => {
  renameSync(from, to)
  syncFile(dirname(to))
}
