// What an environment has started and taken out of its process group, found by a mark in the variables that processes
// hand on, and by its user id where it has one of its own. Only Linux tells them.
import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'

const variable = 'REPRISE_INSTANCE'

/** Set for a program whose user id no other has. */
const hasOwnUser = 'REPRISE_OWN_USER'

export type Mark = { [variable]: string }
export const newMark = (): Mark => ({ [variable]: randomUUID() })
export const ownUserMark = { [hasOwnUser]: '1' }
/** The user id that the process that asks shares only with what it has started; undefined: there is none. */
export const ownUserId = (): number | undefined =>
  process.env[hasOwnUser] === undefined ? undefined : process.getuid?.()
/** That of the process that asks; undefined: it has none. */
export const ownMark = (): Mark | undefined => {
  const mark = process.env[variable]
  return mark === undefined ? undefined : { [variable]: mark }
}

const variablesOf = (pid: string): string[] => {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0')
  } catch {
    return [] // it has just ended, or belongs to somebody else
  }
}

/** Of a process; undefined: it has just ended. */
export const userOf = (pid: string): number | undefined => {
  try {
    return statSync(`/proc/${pid}`).uid
  } catch {
    return undefined
  }
}

/** What is killed may have started others meanwhile. */
const mostLooks = 5

/** All that have the mark, or the user id of that program alone, but for the process that asks. */
export const killStragglers = (mark: Mark | undefined, uid?: number): void => {
  if (mark === undefined || process.platform !== 'linux') return
  const wanted = `${variable}=${mark[variable]}`
  const isOne = (pid: string) =>
    (uid !== undefined && userOf(pid) === uid) || variablesOf(pid).includes(wanted)
  const killed = new Set<string>()
  for (let looks = 0, before = -1; killed.size > before && looks < mostLooks; looks++) {
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
