// What stands between the server and what runs for users, found out once at the start: which wall commands of
// workspaces have, and whether programs can run with user ids of their own. What cannot be had is said, not guessed.
import type { UserId } from '../contract/user-id.ts'
import { findIds, type IdSettings, modulesProblems } from './own-ids.ts'
import type { UserIds } from './user-ids.ts'
import { type Bubblewrap, tryBubblewrap, type Wall } from './wall.ts'
import { allowUnsandboxed, bubblewrapProgram } from './wall-variables.ts'
import { builtinFile, builtinNames } from './where.ts'

export type ProtectionSettings = IdSettings & {
  /** The operator's modules; undefined: none. */
  modules: string | undefined
  allowUnsandboxedShell: boolean
}

/** Which environments have user ids of their own; the others have that of the server. */
export type OwnUsers = 'all' | 'some' | 'none'

export type Protection = {
  wall: Wall
  ownUsers: OwnUsers
  /** Undefined: all programs run as the server's user. */
  ids: UserIds | undefined
  /** Why a kind of ours is refused. */
  refusalOf(name: string): string | undefined
  /** The user that the program of a module runs as; undefined: the server's. */
  userFor(file: string): UserId | undefined
  /** Variables that tell the program of a module of the wall. */
  variablesFor(file: string): Record<string, string>
  /** For the operator: what is installed or asked for and cannot be had. */
  problems: string[]
}

const noSandbox = (problem: string): string =>
  `the environment workspace is refused: ${problem}, and shell commands are not run without a sandbox. ` +
  'Install bubblewrap (bwrap, 0.8 or newer) and let it make user namespaces, or set ALLOW_UNSANDBOXED_SHELL=1'

/** For those who run nothing for users: nothing is tried. */
export const noProtection: Protection = {
  wall: 'refused',
  ownUsers: 'none',
  ids: undefined,
  refusalOf: () => undefined,
  userFor: () => undefined,
  variablesFor: () => ({}),
  problems: [],
}

type Shell = { bubblewrap: Bubblewrap; hasOwnId: boolean }

/** Bubblewrap as the user with an id of its own, or else as the server's: it is the better wall of the two. */
const findShell = (ids: UserIds | undefined): Shell => {
  const own = ids && tryBubblewrap(ids.next())
  if (own !== undefined && 'program' in own) return { bubblewrap: own, hasOwnId: true }
  const bubblewrap = tryBubblewrap()
  return { bubblewrap, hasOwnId: ids !== undefined && !('program' in bubblewrap) }
}

export const findProtection = (settings: ProtectionSettings): Protection => {
  const ours = new Set(builtinNames.map(builtinFile))
  const workspace = builtinFile('workspace')
  const { ids, problem: noIds } = findIds(settings)
  const outside = ids === undefined ? {} : modulesProblems(ids, settings.modules)
  const { bubblewrap, hasOwnId } = findShell(ids)
  const isThere = 'program' in bubblewrap
  const wall = isThere ? 'bubblewrap' : settings.allowUnsandboxedShell ? 'limits' : 'refused'
  const noIdForShell = ids && !hasOwnId ? 'bubblewrap works for root alone' : undefined

  const asRoot = (which: string, why: string | undefined) =>
    why === undefined ? [] : [`${which} have no user ids of their own, and run as root: ${why}`]
  const without = [
    ...asRoot('environments', noIds),
    ...asRoot('environments of ENV_PATH', outside.all),
    ...asRoot('Python environments of ENV_PATH', outside.python),
    ...asRoot('workspaces', noIdForShell),
  ]
  const said = isThere || bubblewrap.said === undefined ? [] : [`${bubblewrap.problem}: ${bubblewrap.said}`]
  const isRoot = (file: string) => {
    if (file === workspace) return !hasOwnId
    if (ours.has(file)) return false
    return (outside.all ?? (file.endsWith('.py') ? outside.python : undefined)) !== undefined
  }
  return {
    wall,
    ownUsers: ids === undefined ? 'none' : without.length > 0 ? 'some' : 'all',
    ids,
    refusalOf: name =>
      name === 'workspace' && wall === 'refused' && !isThere ? noSandbox(bubblewrap.problem) : undefined,
    userFor: file => (ids === undefined || isRoot(file) ? undefined : ids.next()),
    variablesFor(file) {
      if (file !== workspace) return {}
      if (isThere) return { [bubblewrapProgram]: bubblewrap.program }
      return wall === 'limits' ? { [allowUnsandboxed]: '1' } : {}
    },
    problems: [...without, ...said],
  }
}
