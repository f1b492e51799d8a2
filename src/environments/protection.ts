// Decides once, at the start, how the server is protected against programs that run for users: which sandbox workspace
// commands get, and whether programs can run with user ids of their own. Missing protection is reported to
// the operator.
import path from 'node:path'
import type { UserId } from '../contract/user-id.ts'
import { findIds, type IdSettings, modulesProblems } from './own-ids.ts'
import { type Bubblewrap, type Sandbox, tryBubblewrap } from './sandbox.ts'
import { allowUnsandboxed, bubblewrapProgram } from './sandbox-variables.ts'
import type { UserIds } from './user-ids.ts'
import { builtinFile, builtinNames, gymnasiumFile } from './where.ts'

export type ProtectionSettings = IdSettings & {
  /** The operator's modules of environments; undefined: there are none. */
  modules: string | undefined
  /** The operator's agents; undefined: there are none. */
  agents: string | undefined
  allowUnsandboxedShell: boolean
}

/** Which environments have user ids of their own; the others run as the server's user. */
export type OwnUsers = 'all' | 'some' | 'none'

export type Protection = {
  sandbox: Sandbox
  ownUsers: OwnUsers
  /** Undefined: all programs run as the server's user. */
  ids: UserIds | undefined
  /** Why a built-in kind is refused; undefined: it is not refused. */
  refusalOf(name: string): string | undefined
  /** The user that the program of a module runs as; undefined: the server's user. */
  userFor(file: string): UserId | undefined
  /** Variables that tell the program of a module which sandbox it has. */
  variablesFor(file: string): Record<string, string>
  /** Messages for the operator: each names protection that is installed or configured and does not work. */
  problems: string[]
}

const noSandbox = (problem: string): string =>
  `the environment workspace is refused: ${problem}, and shell commands are not run without a sandbox. ` +
  'Install bubblewrap (bwrap, 0.8 or newer) and let it make user namespaces, or set ALLOW_UNSANDBOXED_SHELL=1'

/** The protection for callers that run no programs for users. */
export const noProtection: Protection = {
  sandbox: 'refused',
  ownUsers: 'none',
  ids: undefined,
  refusalOf: () => undefined,
  userFor: () => undefined,
  variablesFor: () => ({}),
  problems: [],
}

type Shell = { bubblewrap: Bubblewrap; hasOwnId: boolean }

/**
 * Tries bubblewrap with a user id of its own first, then as the server's user: bubblewrap as the server's user protects
 * better than a user id of its own without bubblewrap.
 */
const findShell = (ids: UserIds | undefined): Shell => {
  const own = ids && tryBubblewrap(ids.next())
  if (own !== undefined && 'program' in own) return { bubblewrap: own, hasOwnId: true }
  const bubblewrap = tryBubblewrap()
  return { bubblewrap, hasOwnId: ids !== undefined && !('program' in bubblewrap) }
}

export const findProtection = (settings: ProtectionSettings): Protection => {
  const ours = new Set([...builtinNames.map(builtinFile), gymnasiumFile()])
  const workspace = builtinFile('workspace')
  const { ids, problem: noIds } = findIds(settings)
  const outside = ids === undefined ? {} : modulesProblems(ids, settings.modules)
  const ofAgents = ids === undefined ? {} : modulesProblems(ids, settings.agents)
  const { bubblewrap, hasOwnId } = findShell(ids)
  const isThere = 'program' in bubblewrap
  const sandbox = isThere ? 'bubblewrap' : settings.allowUnsandboxedShell ? 'limits' : 'refused'
  const noIdForShell = ids && !hasOwnId ? 'bubblewrap works for root alone' : undefined

  const asRoot = (which: string, why: string | undefined) =>
    why === undefined ? [] : [`${which} have no user ids of their own, and run as root: ${why}`]
  const without = [
    ...asRoot('environments', noIds),
    ...asRoot('environments of ENV_PATH', outside.all),
    ...asRoot('Python environments of ENV_PATH', outside.python),
    ...asRoot('agents of AGENT_PATH', ofAgents.all),
    ...asRoot('Python agents of AGENT_PATH', ofAgents.python),
    ...asRoot('workspaces', noIdForShell),
  ]
  const said = isThere || bubblewrap.said === undefined ? [] : [`${bubblewrap.problem}: ${bubblewrap.said}`]
  const isRoot = (file: string) => {
    if (file === workspace) return !hasOwnId
    if (ours.has(file)) return false
    const folder =
      settings.agents !== undefined && path.dirname(file) === settings.agents ? ofAgents : outside
    return (folder.all ?? (file.endsWith('.py') ? folder.python : undefined)) !== undefined
  }
  return {
    sandbox,
    ownUsers: ids === undefined ? 'none' : without.length > 0 ? 'some' : 'all',
    ids,
    refusalOf: name =>
      name === 'workspace' && sandbox === 'refused' && !isThere ? noSandbox(bubblewrap.problem) : undefined,
    userFor: file => (ids === undefined || isRoot(file) ? undefined : ids.next()),
    variablesFor(file) {
      if (file !== workspace) return {}
      if (isThere) return { [bubblewrapProgram]: bubblewrap.program }
      return sandbox === 'limits' ? { [allowUnsandboxed]: '1' } : {}
    },
    problems: [...without, ...said],
  }
}
