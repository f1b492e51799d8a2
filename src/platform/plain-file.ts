// Files that others may have replaced: by a folder, a link or a FIFO, which a careless open would wait for for ever.
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
  type Stats,
  statSync,
} from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'

const { O_CREAT, O_NONBLOCK, O_RDONLY, O_TRUNC, O_WRONLY } = constants
/** Opens without waiting for somebody at the other end, which a plain file has not. */
const forReading = O_RDONLY | O_NONBLOCK
/** For `flag` of `writeFile`: as `w`, but an error for a FIFO that nobody reads. */
export const plainWrite = O_WRONLY | O_CREAT | O_TRUNC | O_NONBLOCK

const kindOf = (found: Stats): string => {
  if (found.isFile()) return 'file'
  if (found.isDirectory()) return 'folder'
  return found.isFIFO() ? 'FIFO' : found.isSocket() ? 'socket' : 'device'
}

/** `file`, `folder` or what else stands there; undefined: nothing. Links are followed. */
export const whatStandsAt = (path: string): string | undefined => {
  try {
    return kindOf(statSync(path))
  } catch (error) {
    if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) return 'link that leads nowhere'
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw error
  }
}

const notPlain = (path: string, found: Stats): Error =>
  new Error(`${path} is a ${kindOf(found)}, and no file`)

/** The text of a plain file. Throws what the system says, and an error for anything else. */
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

/** The same, later. */
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
