// Earlier versions put the folders of all environment sessions side by side; now each is in the folder of its user.
// Folders of an earlier version are sorted once, unless the folder of a session is at its new place already. A session
// may have the same name as a user, so nothing is moved to its new place before all old folders are gone. First, the
// folders of active sessions are set aside. Then the others are removed. Then the folders that were set aside are moved
// to their places. After a crash at any point, the next start continues from there.
import { existsSync } from 'node:fs'
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { OwnedSession } from '../../actors/env-session/ports.ts'
import { segment } from '../access/user-folders.ts'
import { removeFolder } from '../platform/remove-folder.ts'

/** A file of this name marks a folder that is sorted. No session and no user has a name that begins with a dot. */
export const sortedMark = '.sorted-by-user'
const aside = '.being-sorted'
/** A file of this name is in the folder `aside` once every old folder was moved there or removed. */
const leftMark = '.old-ones-have-left'
/** What is in the folder of a session. */
const parts = ['files', 'states']

export const sortSessions = async (
  root: string,
  active: OwnedSession[],
  folderOf: (session: OwnedSession) => string,
): Promise<void> => {
  const mark = path.join(root, sortedMark)
  if (existsSync(mark)) return
  await mkdir(root, { recursive: true, mode: 0o700 })
  const waiting = path.join(root, aside)
  const left = path.join(waiting, leftMark)
  // The mark may be lost, for example because a copy of the folder left out hidden files.
  const isAtHome = (session: OwnedSession): boolean =>
    parts.some(part => existsSync(path.join(folderOf(session), part)))
  if (!existsSync(waiting) && active.some(isAtHome)) return writeFile(mark, '')
  if (!existsSync(left)) {
    await mkdir(waiting, { recursive: true, mode: 0o700 })
    for (const session of active) {
      const [old, next] = [
        path.join(root, segment(session.session_id)),
        path.join(waiting, path.relative(root, folderOf(session))),
      ]
      if (!existsSync(old) || existsSync(next)) continue
      await mkdir(path.dirname(next), { recursive: true, mode: 0o700 })
      await rename(old, next)
    }
    for (const name of await readdir(root)) if (name !== aside) await removeFolder(path.join(root, name))
    await writeFile(left, '')
  }
  for (const name of await readdir(waiting)) {
    if (name !== leftMark) await rename(path.join(waiting, name), path.join(root, name))
  }
  await writeFile(mark, '')
  await rm(waiting, { recursive: true })
}
