// What runs for users shares the processors with the thread that answers everybody: it runs when that one need not.
import { writeFileSync } from 'node:fs'
import { constants, getPriority, setPriority } from 'node:os'

const { PRIORITY_BELOW_NORMAL, PRIORITY_LOW } = constants.priority

const lower = (pid: number, priority: number): void => {
  try {
    setPriority(pid, Math.max(getPriority(pid), priority))
  } catch {} // it has ended, or it runs for somebody else
}

/**
 * Linux may share the processors between the sessions of processes first (autogroups), as setsid makes them, and regard
 * priorities within each alone. One that begins a session therefore lowers that of the session, too: not as far as its
 * own, or a step of one user would wait a fifth of a second for each turn while another user keeps the processors busy.
 */
export const sessionGivesWay = (pid: number): void => {
  try {
    writeFileSync(`/proc/${pid}/autogroup`, String(PRIORITY_BELOW_NORMAL))
  } catch {} // the system has no such thing, or it has ended, or too many were changed just now
}

/** A process that runs for one user and leads a session, with all that it starts from now on. */
export const processGivesWay = (pid: number): void => {
  lower(pid, PRIORITY_LOW)
  sessionGivesWay(pid)
}

/** The thread that calls: one that runs what one user wrote gives way to those that work for all users. */
export const threadGivesWay = (worksFor: 'one' | 'all'): void => {
  // Elsewhere that would be the whole process.
  if (process.platform === 'linux') lower(0, worksFor === 'one' ? PRIORITY_LOW : PRIORITY_BELOW_NORMAL)
}
