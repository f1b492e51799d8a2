// Folders and user ids: what a program with a user id of its own may reach below DATA_DIR is the folder of its session,
// and nothing else. Everything in DATA_DIR is its owner's alone; the folders above a session's own can be passed
// through, not listed, and only while the session has a program.
import { chmodSync, chownSync, lstatSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import { chmod, lchown, lstat, readdir } from 'node:fs/promises'
import path from 'node:path'
import type { UserId } from '../contract/user-id.ts'
import type { UserIds } from './user-ids.ts'

const others = 0o077

/** Nobody but its owner may use it. A link is left alone: what it leads to lies elsewhere. */
const close = (file: string): void => {
  const stats = lstatSync(file, { throwIfNoEntry: false })
  if (stats === undefined || stats.isSymbolicLink() || (stats.mode & others) === 0) return
  chmodSync(file, stats.mode & 0o7700)
}

type Places = {
  dataDir: string
  /** Where the folders of sessions are, below `dataDir`. */
  sessions: string
  /** Folders of the server, made here so that they are never open. */
  own: string[]
}

/** Before any program is started: everything is closed. */
export const closeAll = ({ dataDir, sessions, own }: Places): void => {
  for (const folder of own) mkdirSync(folder, { recursive: true, mode: 0o700 })
  mkdirSync(sessions, { recursive: true, mode: 0o700 })
  chmodSync(dataDir, statSync(dataDir).mode & 0o7771) // an operator who made it may have given more
  for (const name of readdirSync(dataDir)) {
    const file = path.join(dataDir, name)
    if (file !== sessions) close(file)
  }
  for (const name of readdirSync(sessions)) close(path.join(sessions, name))
}

/** Lets the group pass through a folder; where the group is somebody else's, everybody. */
const letThrough = (folder: string, gid: number): void => {
  const { mode, uid, gid: group } = statSync(folder)
  if ((mode & 0o001) !== 0 || (group === gid && (mode & 0o010) !== 0)) return
  const isFree = (mode & 0o070) === 0
  if (isFree) chownSync(folder, uid, gid)
  chmodSync(folder, (mode & 0o7777) | (isFree ? 0o010 : 0o001))
}

/** The folders from `top` down to a folder, without it. */
const above = (folder: string, top: string): string[] => {
  const below = path.relative(top, folder)
  if (below === '' || below.startsWith('..')) throw new Error(`${folder} is not below ${top}`)
  const names = below.split(path.sep).slice(0, -1)
  return [top, ...names.map((_, index) => path.join(top, ...names.slice(0, index + 1)))]
}

/** The group may pass through every folder from `top` on to this one. */
export const letPass = (folder: string, top: string, gid: number): void => {
  for (const one of above(folder, top)) letThrough(one, gid)
}

type IsOne = (uid: number) => boolean
/**
 * Gives a folder with all that is in it to a user; nothing may run in it meanwhile. A file with a second name is left
 * alone unless it belongs to one of the ids: the other name may lie elsewhere.
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

/** The session's own folder becomes the user's, and can be reached from `top` on. */
export const handOver = async (folder: string, top: string, user: UserId, ids: UserIds): Promise<void> => {
  await give(Buffer.from(folder), user, ids.isOne)
  await chmod(folder, 0o700)
  letPass(folder, top, ids.gid)
}

/** Its program runs as the server does: what another program left there becomes the server's. */
export const keep = async (folder: string): Promise<void> => {
  const [uid, gid] = [process.getuid?.(), process.getgid?.()]
  if (uid !== 0 || gid === undefined) return // nobody but root could have given it away
  await give(Buffer.from(folder), { uid, gid }, () => false)
}

/** The session has no program any more: nobody passes to its folder. */
export const takeBack = (folder: string): Promise<void> => chmod(path.dirname(folder), 0o700).catch(() => {}) // it may be gone already
