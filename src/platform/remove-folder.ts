// Removes a folder with all that is in it, also where a program has taken away the permission to enter a part of it.
import { chmod, lstat, readdir, rm } from 'node:fs/promises'
import path from 'node:path'

/** Opens folders that may not be entered. A name may be no UTF-8. */
const open = async (folder: Buffer): Promise<void> => {
  await chmod(folder, 0o700)
  for (const entry of await readdir(folder, { withFileTypes: true, encoding: 'buffer' })) {
    if (entry.isDirectory()) await open(Buffer.concat([folder, Buffer.from(path.sep), entry.name]))
  }
}

/** Nothing is left at this path; what is not there is as good as removed. Links are removed, never followed. */
export const removeFolder = async (folder: string): Promise<void> => {
  try {
    await rm(folder, { recursive: true, force: true })
  } catch (error) {
    if (!['EACCES', 'EPERM', 'ENOTEMPTY'].includes((error as { code: string }).code)) throw error
    if ((await lstat(folder)).isDirectory()) await open(Buffer.from(folder))
    await rm(folder, { recursive: true, force: true })
  }
}
