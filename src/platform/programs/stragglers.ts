// Kills processes that an environment started and took out of its process group. Finds them by a mark in the variables
// that processes inherit, and by the user id if the program has one of its own. Works on Linux only.
import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'

const variable = 'REPRISE_INSTANCE'

/** Set for a program that shares its user id with no other program. */
const hasOwnUser = 'REPRISE_OWN_USER'

export type Mark = { [variable]: string }
export const newMark = (): Mark => ({ [variable]: randomUUID() })
export const ownUserMark = { [hasOwnUser]: '1' }
/** The user id that this process shares only with its own children; undefined: there is none. */
export const ownUserId = (): number | undefined =>
  process.env[hasOwnUser] === undefined ? undefined : process.getuid?.()
/** The mark of this process; undefined: it has none. */
export const ownMark = (): Mark | undefined => {
  const mark = process.env[variable]
  return mark === undefined ? undefined : { [variable]: mark }
}

const variablesOf = (pid: string): string[] => {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0')
  } catch {
    return [] // the process has just ended, or belongs to another user
  }
}

/** The user id of a process; undefined: the process has just ended. */
export const userOf = (pid: string): number | undefined => {
  try {
    return statSync(`/proc/${pid}`).uid
  } catch {
    return undefined
  }
}

/**
 * Processes are searched for at most this often. One search may miss some, because a process can start others until it
 * is killed.
 */
const maxLooks = 5

/** Kills all processes that have the mark or the user id, except this process. */
export const killStragglers = (mark: Mark | undefined, uid?: number): void => {
  if (mark === undefined || process.platform !== 'linux') return
  const wanted = `${variable}=${mark[variable]}`
  const isOne = (pid: string) =>
    (uid !== undefined && userOf(pid) === uid) || variablesOf(pid).includes(wanted)
  const killed = new Set<string>()
  for (let looks = 0, before = -1; killed.size > before && looks < maxLooks; looks++) {
    before = killed.size
    for (const pid of readdirSync('/proc')) {
      if (!/^\d+$/.test(pid) || Number(pid) === process.pid || killed.has(pid) || !isOne(pid)) continue
      try {
        process.kill(Number(pid), 'SIGKILL')
        killed.add(pid)
      } catch {}
    }
  }
}
