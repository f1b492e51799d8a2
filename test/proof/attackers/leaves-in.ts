import { openLeaves } from '../../../src/log/chosen-storage.ts'
import { headOf, logOf } from '../verify/signed-folder.ts'

/** The leaves of a log, in order. */
export const leavesIn = (dataDir: string): string[] => {
  const log = openLeaves(logOf(dataDir))
  const leaves = log.leaves(0, headOf(dataDir))
  log.close()
  return leaves
}
