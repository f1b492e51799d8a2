// Lowers the priority of work for single users, so that the thread that answers all users gets a processor first.
import { writeFileSync } from 'node:fs'
import { constants, getPriority, setPriority } from 'node:os'

const { PRIORITY_BELOW_NORMAL, PRIORITY_LOW } = constants.priority

const lower = (pid: number, priority: number): void => {
  try {
    setPriority(pid, Math.max(getPriority(pid), priority))
  } catch {} // the process has ended, or belongs to another system user
}

/**
 * Linux may first share the processors between process sessions (autogroups), which setsid begins, and apply priorities
 * only within each session. So the priority of the session of a process is lowered, too. While the session keeps a
 * processor busy, it is lowered as far as the priority of the process. At other times it is lowered less: a step of one
 * user would otherwise wait 0.2 s for each time slice while another user keeps the processors busy.
 */
export const sessionGivesWay = (pid: number, isBusy = false): void => {
  try {
    writeFileSync(`/proc/${pid}/autogroup`, String(isBusy ? PRIORITY_LOW : PRIORITY_BELOW_NORMAL))
  } catch {} // no autogroups, or the process has ended, or the system limits how often they change
}

/**
 * Lowers the priority of a process that runs for one user and leads a session, and of all processes that it starts.
 * `isBusy`: whether its session keeps a processor busy now.
 */
export const processGivesWay = (pid: number, isBusy = false): void => {
  lower(pid, PRIORITY_LOW)
  sessionGivesWay(pid, isBusy)
}

/** Lowers the priority of the calling thread: more if it runs code of one user, less if it works for all users. */
export const threadGivesWay = (worksFor: 'one' | 'all'): void => {
  // On other systems, this would change the priority of the whole process.
  if (process.platform === 'linux') lower(0, worksFor === 'one' ? PRIORITY_LOW : PRIORITY_BELOW_NORMAL)
}
