// Copies the kept state of a session into the folder of another one: the file of the state, and the packs with the
// contents of files. Links are left out, since they could lead anywhere.
import { constants } from 'node:fs'
import { lstat, mkdir, open, readdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { syncFolder } from '../platform/files/plain-file.ts'

/** Where a kept state lies in the folder of its session; `packs` holds the packs that built-in environments refer to. */
export const partsOfState = { states: 'states', packs: path.join('files', 'kept') }

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT'
const isFolder = async (at: string): Promise<boolean> =>
  (await lstat(at).catch(() => undefined))?.isDirectory() === true
const isPlainFile = async (at: string): Promise<boolean> =>
  (await lstat(at).catch(() => undefined))?.isFile() === true

const copyFile = async (from: string, to: string): Promise<void> => {
  const source = await open(from, constants.O_RDONLY | constants.O_NOFOLLOW)
  const content = source.createReadStream({ autoClose: false })
  await writeFile(to, content, { mode: 0o600, flag: 'wx', flush: true }).finally(() => source.close())
}

/** A pack that is removed meanwhile is left out: it belongs to another state of the session. */
const copyPacks = async (from: string, to: string, names: string[]): Promise<void> => {
  await mkdir(to, { recursive: true, mode: 0o700 })
  for (const name of names)
    await copyFile(path.join(from, name), path.join(to, name)).catch(error => {
      if (!isMissing(error)) throw error
    })
  await syncFolder(to)
}

/** Returns false if the state is missing. While `file` exists, the session removes no pack that the state needs. */
export const copyKeptState = async (from: string, to: string, file: string): Promise<boolean> => {
  const state = path.join(from, partsOfState.states, file)
  if (!(await isPlainFile(state))) return false
  try {
    const packs = path.join(from, partsOfState.packs)
    const hasPacks = (await isFolder(path.dirname(packs))) && (await isFolder(packs))
    const entries = hasPacks ? await readdir(packs, { withFileTypes: true }) : []
    const names = entries.filter(entry => entry.isFile()).map(({ name }) => name)
    if (names.length > 0) await copyPacks(packs, path.join(to, partsOfState.packs), names)
    const states = path.join(to, partsOfState.states)
    await mkdir(states, { recursive: true, mode: 0o700 })
    await copyFile(state, path.join(states, file))
    await syncFolder(states)
  } catch (error) {
    if (isMissing(error)) return false
    throw error
  }
  return isPlainFile(state)
}
