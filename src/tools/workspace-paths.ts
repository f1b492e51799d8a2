// Keeps file tools inside of one folder, the workspace, which lies in the folder of its user. A path is judged by where
// it really leads. An opened file is judged again, because a link may have been put there meanwhile.
import { constants, existsSync } from 'node:fs'
import { type FileHandle, lstat, open, realpath } from 'node:fs/promises'
import path from 'node:path'
import { isBelow } from '../access/user-folders.ts'
import { named, unlessFile } from './file-errors.ts'

/** Absolute paths; the folders need not exist yet. */
export type Workspace = { userFolder: string; workdir: string }

/**
 * Where a path leads: `real` is the real path of the part that exists, `missing` are the names below it. `root` is the
 * real path of the workspace, `own` that of its user's folder.
 */
export type Spot = { given: string; own: string; root: string; real: string; missing: string[] }

/** An open folder that is known to be inside of the workspace. */
export type Folder = {
  /** A path to the name in this very folder, even if the folder was moved meanwhile. */
  at(name: string): string
  /** Throws if the folder is no longer where it was. */
  still(): Promise<void>
  sync(): Promise<void>
}

// On Linux, a path with the descriptor of an open folder leads to this folder, wherever it was moved. On other systems
// the folder's own path is used, and a later call of `still` detects that the folder was replaced.
const descriptors = '/proc/self/fd'
const hasDescriptors = existsSync(descriptors)

const isThere = async (at: string): Promise<boolean> => {
  try {
    await lstat(at)
    return true
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as { code: string }).code)) return false
    throw error
  }
}

const reach = async (wanted: string, given: string): Promise<{ real: string; missing: string[] }> => {
  const missing: string[] = []
  let there = wanted
  while (!(await isThere(there))) {
    missing.unshift(path.basename(there))
    there = path.dirname(there)
  }
  try {
    return { real: await realpath(there), missing }
  } catch (error) {
    if ((error as { code: string }).code !== 'ENOENT') throw error
    throw new Error(`${named(given)} is a symbolic link that leads nowhere`)
  }
}

const outside = (given: string): Error => new Error(`${named(given)} leads outside of the workspace`)

/** Resolves a caller's path in the workspace. Path and workspace need not exist yet. Throws if it leads outside. */
export const spotOf = async ({ userFolder, workdir }: Workspace, given: string): Promise<Spot> => {
  if (given.includes('\0')) throw new Error('A path cannot hold a NUL character')
  const rootOf = async (folder: string) => {
    const { real, missing } = await reach(folder, 'The workspace')
    return path.join(real, ...missing)
  }
  const own = await rootOf(userFolder)
  const root = await rootOf(workdir)
  if (!isBelow(own, root)) throw new Error('The workspace leads outside of the folder of its user')
  const { real, missing } = await reach(path.resolve(workdir, given), given)
  if (!isBelow(root, path.join(real, ...missing))) throw outside(given)
  return { given, own, root, real, missing }
}

/** Opens a folder by its real path for the duration of a job. */
export const inFolder = async <Answer>(
  { given, root }: Pick<Spot, 'given' | 'root'>,
  real: string,
  job: (folder: Folder) => Promise<Answer>,
): Promise<Answer> => {
  const handle = await open(real, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW)
  const still = async () => {
    const [opened, there] = [await handle.stat({ bigint: true }), await lstat(real, { bigint: true })]
    if (opened.dev !== there.dev || opened.ino !== there.ino || (await realpath(real)) !== real) {
      throw new Error(`${named(given)} was moved at the same time; try again`)
    }
  }
  try {
    if (!isBelow(root, real)) throw outside(given)
    await still()
    const way = hasDescriptors ? path.join(descriptors, `${handle.fd}`) : real
    return await job({ at: name => path.join(way, name), still, sync: () => handle.sync() })
  } finally {
    await handle.close()
  }
}

/**
 * Opens a regular file for the duration of a job. It never waits for the other end of a pipe, and never follows a link.
 */
export const inFile = async <Answer>(
  folder: Folder,
  { name, given, flags }: { name: string; given: string; flags: number },
  job: (handle: FileHandle) => Promise<Answer>,
): Promise<Answer> => {
  const handle = await open(
    folder.at(name),
    flags | constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_NOCTTY,
    0o666,
  )
  try {
    unlessFile(await handle.stat(), given)
    await folder.still()
    return await job(handle)
  } finally {
    await handle.close()
  }
}
