// Removes a folder with its content, even when a program has removed the permission to enter a part of it.
import { chmod, lstat, readdir, rm } from 'node:fs/promises'
import path from 'node:path'

/**
 * Allows this process to enter a folder and all folders in it. The names of files are bytes, since they may not be
 * UTF-8.
 */
const open = async (folder: Buffer): Promise<void> => {
  await chmod(folder, 0o700)
  for (const entry of await readdir(folder, { withFileTypes: true, encoding: 'buffer' })) {
    if (entry.isDirectory()) await open(Buffer.concat([folder, Buffer.from(path.sep), entry.name]))
  }
}

/** Removes whatever is at this path, if anything is there. Links are removed, never followed. */
export const removeFolder = async (folder: string): Promise<void> => {
  try {
    await rm(folder, { recursive: true, force: true })
  } catch (error) {
    if (!['EACCES', 'EPERM', 'ENOTEMPTY'].includes((error as { code: string }).code)) throw error
    if ((await lstat(folder)).isDirectory()) await open(Buffer.from(folder))
    await rm(folder, { recursive: true, force: true })
  }
}
