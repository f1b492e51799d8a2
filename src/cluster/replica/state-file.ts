// Saves in a small file how far a node has read the shared log, so that the node need not begin with the first record
// after a start. The file is written a while later, so the log of the node may have more rows than the file says, but
// never fewer.
import { rename, writeFile } from 'node:fs/promises'
import { plainWrite, readPlainFile } from '../../platform/files/plain-file.ts'
import type { Mark } from './reader.ts'

/** The saved place; undefined: there is none for this log, or it cannot be read. */
export const readState = (file: string, logId: string): Mark | undefined => {
  try {
    const { log, sequence, valid, position, digest } = JSON.parse(readPlainFile(file))
    if (log !== logId || ![sequence, valid, position].every(Number.isSafeInteger)) return undefined
    return { sequence, valid, position, digest: Buffer.from(digest, 'base64url') }
  } catch {
    return undefined
  }
}

/** The place is on the disk when this resolves; the old file stays until then. */
export const saveState = async (file: string, logId: string, mark: Mark): Promise<void> => {
  const saved = { log: logId, ...mark, digest: mark.digest.toString('base64url') }
  await writeFile(`${file}.new`, `${JSON.stringify(saved)}\n`, { mode: 0o600, flag: plainWrite, flush: true })
  await rename(`${file}.new`, file)
}
