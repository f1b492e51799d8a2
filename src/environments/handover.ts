// Folders and user ids: below DATA_DIR, a program with a user id of its own can reach only the folder of its session.
// Everything else in DATA_DIR is readable by its owner alone. The folders above a session's folder can be passed
// through but not listed; the nearest of them can be passed through only while the session has a program.
import { chmodSync, chownSync, lstatSync, readdirSync, statSync } from 'node:fs'
import { chmod, lchown, lstat, readdir } from 'node:fs/promises'
import path from 'node:path'
import type { UserId } from '../contract/user-id.ts'
import { makeOwnFolder } from '../platform/files/make-folder.ts'
import type { UserIds } from './user-ids.ts'

const others = 0o077

/** Removes access for everybody but the owner. A link is left alone: its target may lie outside of DATA_DIR. */
const close = (file: string): void => {
  const stats = lstatSync(file, { throwIfNoEntry: false })
  if (stats === undefined || stats.isSymbolicLink() || (stats.mode & others) === 0) return
  chmodSync(file, stats.mode & 0o7700)
}

type Places = {
  dataDir: string
  /** The folder of sessions, below `dataDir`. */
  sessions: string
  /** Folders of the server; they are created here, so that they are never open to others. */
  own: string[]
}

/** Removes the access of other users to everything below DATA_DIR. Call this before any program is started. */
export const closeAll = ({ dataDir, sessions, own }: Places): void => {
  for (const folder of [...own, sessions]) makeOwnFolder(folder)
  chmodSync(dataDir, statSync(dataDir).mode & 0o7771) // the operator may have created it with more permissions
  for (const name of readdirSync(dataDir)) {
    const file = path.join(dataDir, name)
    if (file !== sessions) close(file)
  }
  for (const name of readdirSync(sessions)) close(path.join(sessions, name))
}

/** Lets the group pass through a folder. If another group has rights in the folder, lets everybody pass through it. */
const letThrough = (folder: string, gid: number): void => {
  const { mode, uid, gid: group } = statSync(folder)
  if ((mode & 0o001) !== 0 || (group === gid && (mode & 0o010) !== 0)) return
  const isFree = (mode & 0o070) === 0
  if (isFree) chownSync(folder, uid, gid)
  chmodSync(folder, (mode & 0o7777) | (isFree ? 0o010 : 0o001))
}

/** All folders above a folder, from `top` down; `top` is included. */
const above = (folder: string, top: string): string[] => {
  const below = path.relative(top, folder)
  if (below === '' || below.startsWith('..')) throw new Error(`${folder} is not below ${top}`)
  const names = below.split(path.sep).slice(0, -1)
  return [top, ...names.map((_, index) => path.join(top, ...names.slice(0, index + 1)))]
}

/** Lets the group pass through every folder above this one, from `top` down. */
export const letPass = (folder: string, top: string, gid: number): void => {
  for (const one of above(folder, top)) letThrough(one, gid)
}

type IsOne = (uid: number) => boolean
/**
 * Gives a folder with all its contents to a user; no program may run in it meanwhile. A file with a second name (a hard
 * link) keeps its owner, since the other name may lie outside of the folder. But a file that belongs to one of
 * the programs' user ids gets the new owner.
 */
const give = async (file: Buffer, { uid, gid }: UserId, isOne: IsOne): Promise<void> => {
  const stats = await lstat(file)
  if (!stats.isDirectory() && stats.nlink > 1 && !isOne(stats.uid)) return
  if (stats.uid !== uid || stats.gid !== gid) await lchown(file, uid, gid)
  if (!stats.isDirectory()) return
  for (const name of await readdir(file, { encoding: 'buffer' })) {
    await give(Buffer.concat([file, Buffer.from(path.sep), name]), { uid, gid }, isOne)
  }
}

/** Gives the session's folder to the user, and makes it reachable from `top`. */
export const handOver = async (folder: string, top: string, user: UserId, ids: UserIds): Promise<void> => {
  await give(Buffer.from(folder), user, ids.isOne)
  await chmod(folder, 0o700)
  letPass(folder, top, ids.gid)
}

/** For a program that runs as the server's user: makes the server the owner of files that another program left. */
export const takeOver = async (folder: string): Promise<void> => {
  const [uid, gid] = [process.getuid?.(), process.getgid?.()]
  if (uid !== 0 || gid === undefined) return // only root could have given the folder to another user
  await give(Buffer.from(folder), { uid, gid }, () => false)
}

/** Called when the session has no program any more. Then no other user can reach the session's folder. */
export const takeBack = (folder: string): Promise<void> => chmod(path.dirname(folder), 0o700).catch(() => {}) // the folder may be gone already
