// Keeps the files of environment sessions. Each session has a folder in the folder of its user. The session's folder
// holds the environment's own files and, if the environment recovers from snapshots, the newest states. The log holds
// the digest of each state, so that no other file is taken for the state.

import { hash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { type OwnedSession, type SessionFolders, SessionLost } from '../../actors/env-session/ports.ts'
import { segment, userFolder } from '../access/user-folders.ts'
import { readJson } from '../contract/json/exact-json.ts'
import { plainWrite, readPlainFileLater, syncFolder } from '../platform/files/plain-file.ts'
import { removeFolder } from '../platform/files/remove-folder.ts'
import { copyKeptState, partsOfState } from './copy-state.ts'

const digestOf = (text: string): string => hash('sha256', text, 'base64url')

export const folderOfSession = (root: string, { user_id, session_id }: OwnedSession): string =>
  path.join(userFolder(root, user_id), segment(session_id))

/** `takeAway`: what a start does with the folder of a session, or of a user, that the log does not have as active. */
export const createSessionFolders = (
  root: string,
  isBackupMade = async (): Promise<boolean> => false,
  takeAway: (folder: string) => Promise<void> = removeFolder,
): SessionFolders => {
  const folderOf = (session: OwnedSession) => folderOfSession(root, session)
  const statesOf = (session: OwnedSession) => path.join(folderOf(session), partsOfState.states)
  return {
    dirOf: session => path.join(folderOf(session), 'files'),
    async keep(session, step, state, { before, keepOld }) {
      const folder = statesOf(session)
      await mkdir(folder, { recursive: true, mode: 0o700 })
      const text = JSON.stringify(state)
      const digest = digestOf(text)
      const file = `${step}-${digest.slice(0, 8)}.json`
      await writeFile(path.join(folder, file), text, { mode: 0o600, flag: plainWrite, flush: true })
      await syncFolder(folder)
      if (keepOld) return { file, digest }
      const others = (await readdir(folder)).filter(name => name !== file && name !== before?.file)
      await Promise.all(others.map(name => rm(path.join(folder, name), { force: true })))
      return { file, digest }
    },
    isBackupMade,
    async kept(session, { file, digest }) {
      const text = await readPlainFileLater(path.join(statesOf(session), file)).catch(error => {
        // Callers get the words of an error that is none of the system, so they must not name the file.
        throw error.syscall === undefined ? new Error('the kept state is not a plain file') : error
      })
      if (digestOf(text) !== digest) throw new SessionLost('the kept state of the session is damaged')
      return readJson(text)
    },
    copyState: async (from, to, snapshot) => copyKeptState(folderOf(from), folderOf(to), snapshot.file),
    clear: session => removeFolder(folderOf(session)),
    async clearOthers(sessions) {
      if (!existsSync(root)) return
      const kept = new Set(
        sessions.flatMap(session => [userFolder(root, session.user_id), folderOf(session)]),
      )
      let failed: unknown
      const clear = async (folder: string): Promise<void> => {
        for (const name of await readdir(folder)) {
          const at = path.join(folder, name)
          const isKept = kept.has(at)
          if (isKept && folder === root) await clear(at)
          // A folder that cannot be removed must not stop the removal of other folders.
          if (!isKept) await takeAway(at).catch(error => (failed ??= error))
        }
      }
      await clear(root)
      if (failed !== undefined) throw failed
    },
  }
}
