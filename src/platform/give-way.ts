// Lowers the priority of work for single users, so that the thread that answers all users gets the processors first.
import { writeFileSync } from 'node:fs'
import { constants, getPriority, setPriority } from 'node:os'

const { PRIORITY_BELOW_NORMAL, PRIORITY_LOW } = constants.priority

const lower = (pid: number, priority: number): void => {
  try {
    setPriority(pid, Math.max(getPriority(pid), priority))
  } catch {} // the process has ended, or belongs to another system user
}

/**
 * Linux may share the processors first between process sessions (autogroups), which setsid makes, and apply priorities
 * only within each of them. So a process that begins a session lowers the priority of the session, too. It lowers that
 * less than its own: otherwise a step of one user would wait 0.2 s for each turn while another user keeps the
 * processors busy.
 */
export const sessionGivesWay = (pid: number): void => {
  try {
    writeFileSync(`/proc/${pid}/autogroup`, String(PRIORITY_BELOW_NORMAL))
  } catch {} // no autogroups, or the process has ended, or the system limits how often they change
}

/** Lowers the priority of a process that runs for one user and leads a session, and of all that it starts later. */
export const processGivesWay = (pid: number): void => {
  lower(pid, PRIORITY_LOW)
  sessionGivesWay(pid)
}

/** Lowers the priority of the calling thread: most for code of one user, less for work for all users. */
export const threadGivesWay = (worksFor: 'one' | 'all'): void => {
  // On other systems this would change the whole process.
  if (process.platform === 'linux') lower(0, worksFor === 'one' ? PRIORITY_LOW : PRIORITY_BELOW_NORMAL)
}
