import { statfsSync } from 'node:fs'

/** How many bytes this process may still write to the disk of a folder; without a limit when the disk does not tell. */
export const bytesLeft = (folder: string): number => {
  try {
    const { bavail, bfree, bsize } = statfsSync(folder)
    return (process.getuid?.() === 0 ? bfree : bavail) * bsize // a part of a disk may be for root alone
  } catch {
    return Number.POSITIVE_INFINITY
  }
}
