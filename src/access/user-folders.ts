// Each user has a folder below every root that holds files of users. Paths from callers are resolved inside that
// folder.
import { hash } from 'node:crypto'
import { lstatSync, realpathSync } from 'node:fs'
import path from 'node:path'

/** The folders below which each user has a folder. */
export type Roots = { workspace: string; rollouts: string; logs: string }

/** The most bytes of a folder's name. File systems allow 255 bytes, and some names get a suffix. */
const longestSegment = 240

/** The name of a folder for any id: the id, its escaped bytes, or their digest. The name never contains a slash. */
export const segment = (id: string): string => {
  if (/^[A-Za-z0-9_-]{1,128}$/.test(id)) return id
  const bytes = `=${Buffer.from(id).toString('base64url')}`
  return bytes.length <= longestSegment ? bytes : `~${hash('sha256', id, 'base64url')}`
}

export const userFolder = (root: string, userId: string): string => path.join(root, segment(userId))

/** The folder of a user below each root. */
export const foldersOf = (roots: Roots, userId: string): Roots => ({
  workspace: userFolder(roots.workspace, userId),
  rollouts: userFolder(roots.rollouts, userId),
  logs: userFolder(roots.logs, userId),
})

/** Whether the path `at` is `folder` or is below it. The function compares names and does not follow links. */
export const isBelow = (folder: string, at: string): boolean => {
  const way = path.relative(folder, at)
  return way !== '..' && !way.startsWith(`..${path.sep}`) && !path.isAbsolute(way)
}

/** Whether anything exists at a path, even a link whose target does not exist. */
const isTaken = (at: string): boolean => lstatSync(at, { throwIfNoEntry: false }) !== undefined

/**
 * The path with all links resolved. The last parts of the path may not exist. Throws at a link whose target does not
 * exist.
 */
const realPath = (wanted: string): string => {
  let taken = wanted
  while (!isTaken(taken)) taken = path.dirname(taken)
  return path.join(realpathSync(taken), path.relative(taken, wanted))
}

/** The most bytes of one name, and of a path, in Linux and macOS. A path leaves room for the name of a file in it. */
const longest = { name: 255, path: 4096 - 1 - 256 }
const isTooLong = (wanted: string): boolean =>
  Buffer.byteLength(wanted) > longest.path ||
  wanted.split(path.sep).some(name => Buffer.byteLength(name) > longest.name)

/** A caller's path below a folder; undefined when it leads outside, cannot be resolved or is too long to exist. */
export const within = (folder: string, given: string): string | undefined => {
  if (given.includes('\0')) return undefined
  const wanted = path.resolve(folder, given)
  if (isTooLong(wanted)) return undefined
  try {
    return isBelow(realPath(path.resolve(folder)), realPath(wanted)) ? wanted : undefined
  } catch {
    return undefined
  }
}

/** The file in which the rollouts or the log of a task are saved. */
export const taskFileOf = (
  root: string,
  { user_id, task_id, folder }: { user_id: string; task_id: string; folder: string },
): string => path.resolve(userFolder(root, user_id), folder, `${segment(task_id)}.jsonl`)

type StoredTask = { user_id: string; session_id: string; workdir: string }

/** The user's folder, and the folder of the task's file tools: the stored one, but always inside the user's folder. */
export const workspaceOf = (root: string, { user_id, session_id, workdir }: StoredTask) => {
  const own = userFolder(root, user_id)
  if (isBelow(own, workdir)) return { userFolder: own, workdir }
  // The root was another folder when the path was stored. The part of the path after the user's name is kept below the
  // new root.
  const names = workdir.split(path.sep)
  const at = names.lastIndexOf(segment(user_id))
  const below = at < 0 ? [segment(session_id)] : names.slice(at + 1)
  return { userFolder: own, workdir: path.join(own, ...below) }
}
