// Puts a file into a workspace. Each folder is created through its open parent folder, and the new file replaces an old
// one as a whole.
import { createHash } from 'node:crypto'
import { constants, type Stats } from 'node:fs'
import { lstat, mkdir, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { DiskShare } from '../contract/tools.ts'
import { unlessFile } from './file-errors.ts'
import { stopped, unlessStopped } from './stop.ts'
import { type Folder, inFile, inFolder, type Spot, spotOf, type Workspace } from './workspace-paths.ts'

/** The name depends on `effectId` alone, so the next run of the same effect removes the file that a crash has left. */
export const temporaryName = (effectId: string): string =>
  `.reprise-${createHash('sha256').update(effectId).digest('base64url').slice(0, 22)}`

const unlessCode = (code: string) => (error: { code?: string }) => {
  if (error.code !== code) throw error
}
export const statOf = async (at: string): Promise<Stats | undefined> =>
  (await lstat(at).catch(unlessCode('ENOENT'))) ?? undefined

/** Creates the folders of a file and returns where to write. It creates nothing for a path that leads outside. */
export const prepare = async (
  workspace: Workspace,
  given: string,
): Promise<{ spot: Spot; parent: string; name: string }> => {
  await spotOf(workspace, given)
  // No caller can put a link above the user's folder. Below it, a name may be a link by now: it is checked again.
  await mkdir(workspace.userFolder, { recursive: true })
  const spot = await spotOf(workspace, given)
  if (spot.missing.length === 0) {
    unlessFile(await lstat(spot.real), given)
    // A link to a file inside is refused: the caller may mean the link or the file.
    unlessFile(await lstat(path.resolve(workspace.workdir, given)), given)
  }
  const folders = spot.missing.slice(0, -1)
  let parent = spot.missing.length === 0 ? path.dirname(spot.real) : spot.real
  for (const name of folders) {
    await inFolder({ given, root: spot.own }, parent, folder =>
      mkdir(folder.at(name)).catch(unlessCode('EEXIST')),
    )
    parent = path.join(parent, name)
  }
  return { spot, parent, name: spot.missing.at(-1) ?? path.basename(spot.real) }
}

/** Counts for the disk quota the bytes that a job writes, less those of the replaced file; nothing if the job fails. */
export const counted = async (
  disk: DiskShare,
  bytes: number,
  replaced: Stats | undefined,
  job: () => Promise<void>,
): Promise<void> => {
  const change = [bytes, replaced?.size] as const
  await disk.take(...change)
  try {
    await job()
  } catch (error) {
    disk.giveBack(...change)
    throw error
  }
}

export type Put = {
  folder: Folder
  name: string
  given: string
  content: Buffer | AsyncIterable<string>
  there: Stats | undefined
  effectId: string
  signal: AbortSignal
}

/**
 * Replaces the old file with a new one: a link in its place is not followed, and no reader sees half of the content.
 */
export const replace = async ({
  folder,
  name,
  given,
  content,
  there,
  effectId,
  signal,
}: Put): Promise<void> => {
  const fresh = temporaryName(effectId)
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL
  await rm(folder.at(fresh), { force: true })
  try {
    await inFile(folder, { name: fresh, given, flags }, async handle => {
      if (there !== undefined) await handle.chmod(there.mode & 0o777)
      await writeFile(handle, content, { signal })
      await handle.sync()
    })
    await folder.still()
    unlessStopped(signal)
    await rename(folder.at(fresh), folder.at(name))
    await folder.sync()
  } catch (error) {
    await rm(folder.at(fresh), { force: true })
    throw signal.aborted ? stopped() : error
  }
}
