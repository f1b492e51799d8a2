// Tests at the start whether programs of environments can run with user ids of their own: whether a process can take
// the ids, and whether the files that a program needs can be read with them.
import { spawnSync } from 'node:child_process'
import { realpathSync, statSync } from 'node:fs'
import path from 'node:path'
import type { UserId } from '../contract/user-id.ts'
import { isFolder } from '../platform/files/make-folder.ts'
import { withParents } from '../platform/files/permission.ts'
import { shellWord } from '../platform/shell-word.ts'
import { closeAll, letPass } from './handover.ts'
import { find, standard } from './sandbox.ts'
import { accountAmong, createUserIds, idCount, type UserIds } from './user-ids.ts'
import { builtinFile, javascriptHost, pythonHost } from './where.ts'

/** One test may take at most this many milliseconds. */
const trialMs = 10_000

const shell = '/bin/sh'

/** Runs a program as a user. Undefined: it succeeded; else the error of the start, or the first line of its output. */
const tryAs = (user: UserId, command: string, args: string[]): string | undefined => {
  const { status, error, stdout, stderr } = spawnSync(command, args, {
    ...user,
    env: { ...standard, PATH: process.env.PATH ?? standard.PATH },
    cwd: '/',
    encoding: 'utf8',
    timeout: trialMs,
  })
  if (status === 0) return undefined
  return error?.message ?? `${stdout}${stderr}`.trim().split('\n', 1)[0] ?? ''
}

/** The first folder on the way to a path that members of a group may not enter; undefined: there is none. */
const closedOn = (place: string, gid: number): string | undefined => {
  try {
    return withParents(realpathSync(place)).find(folder => {
      const { mode, gid: group } = statSync(folder)
      const entering = group === gid ? 0o011 : 0o001
      return isFolder(folder) && (mode & entering) === 0
    })
  } catch {
    return undefined // it is not a path, or is gone
  }
}

/**
 * A shell script, which prints the first path that cannot be used. Its first argument is a folder that must be
 * passable, the second is a program that must be executable, and the others are files that must be readable.
 */
const usable =
  'no() { echo "$1"; exit 1; }; cd "$1" 2>/dev/null || no "$1"; [ -x "$2" ] || no "$2"; shift 2; for file; do [ -r "$file" ] || no "$file"; done'
const unusable = (user: UserId, folder: string, program: string, files: string[]): string | undefined => {
  const what = tryAs(user, shell, ['-c', usable, 'sh', folder, program, ...files])
  if (what === undefined) return undefined
  const closed = closedOn(what, user.gid)
  const wayOut =
    closed === undefined ? '' : `: let other users enter ${closed} (chmod a+x ${shellWord(closed)})`
  return `user id ${user.uid} cannot use ${what}${wayOut}`
}

type Ids = { ids?: UserIds; problem?: string }
export type IdSettings = {
  dataDir: string
  /** The folder of sessions. */
  sessions: string
  /** Folders of the server that no other user may read. */
  ownFolders: string[]
  /** The first user id for programs of users; 0: they run as the server's user. */
  firstUserId: number
}

/** Reports no problem if user ids are switched off, or if the server does not run as root. */
export const findIds = ({ firstUserId: first, dataDir, sessions, ownFolders }: IdSettings): Ids => {
  if (process.getuid?.() !== 0 || first === 0) return {}
  try {
    const account = accountAmong(first)
    if (account !== undefined) {
      return {
        problem: `the ids from ENV_UID_BASE=${first} to ${first + idCount - 1} include the id of ${account}`,
      }
    }
    const ids = createUserIds(first)
    const user = ids.next()
    const files = [javascriptHost(), builtinFile('workspace')]
    const problem = unusable(user, path.dirname(dataDir), process.execPath, files)
    if (problem !== undefined) return { problem }
    closeAll({ dataDir, sessions, own: ownFolders })
    letPass(path.join(sessions, 'any'), dataDir, ids.gid)
    const closed = unusable(user, sessions, shell, [])
    return closed === undefined ? { ids } : { problem: closed }
  } catch (error) {
    return { problem: (error as Error).message }
  }
}

/** Why all modules of the operator, or only the Python modules, cannot run with user ids of their own. */
export const modulesProblems = (
  ids: UserIds,
  modules: string | undefined,
): { all?: string | undefined; python?: string | undefined } => {
  if (modules === undefined) return {}
  const user = ids.next()
  const all = unusable(user, modules, shell, [modules])
  const program = find('python3')
  if (all !== undefined || program === undefined) return { all }
  const python =
    unusable(user, path.dirname(pythonHost()), program, [pythonHost()]) ??
    tryAs(user, program, ['-c', 'pass'])
  return { python }
}
