// What runs for users shares the processors with the thread that answers everybody: it runs when that one need not.
import { constants, getPriority, setPriority } from 'node:os'

/** A process, with all that it starts from now on; without a number the thread that calls. */
export const giveWay = (pid?: number): void => {
  if (pid === undefined && process.platform !== 'linux') return // elsewhere that is the whole process
  try {
    setPriority(pid ?? 0, Math.max(getPriority(), constants.priority.PRIORITY_BELOW_NORMAL))
  } catch {} // it has ended, or it runs for somebody else
}
