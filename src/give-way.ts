// What runs for users shares the processors with the thread that answers everybody: it runs when that one need not.
import { constants, getPriority, setPriority } from 'node:os'

const { PRIORITY_BELOW_NORMAL, PRIORITY_LOW } = constants.priority

const lower = (pid: number, priority: number): void => {
  try {
    setPriority(pid, Math.max(getPriority(pid), priority))
  } catch {} // it has ended, or it runs for somebody else
}

/** A process that runs for one user, with all that it starts from now on. */
export const processGivesWay = (pid: number): void => lower(pid, PRIORITY_LOW)

/** The thread that calls: one that runs what one user wrote gives way to those that work for all users. */
export const threadGivesWay = (worksFor: 'one' | 'all'): void => {
  // Elsewhere that would be the whole process.
  if (process.platform === 'linux') lower(0, worksFor === 'one' ? PRIORITY_LOW : PRIORITY_BELOW_NORMAL)
}
