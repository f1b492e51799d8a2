// Refuses a data folder whose log belongs to a cluster, for work that may only be done on the log of a single machine.
import { CannotStart } from '../../contract/cannot-start.ts'
import { filesOf } from '../../platform/files/data-folder.ts'
import { whatStandsAt } from '../../platform/files/plain-file.ts'

/**
 * Throws CannotStart for a folder whose log is a copy of a cluster's log: an event that is only in this copy would be
 * lost as soon as another node owns the log.
 */
export const mustBeAlone = (dataDir: string): void => {
  if (whatStandsAt(filesOf(dataDir).streamKeys) === undefined) return
  throw new CannotStart(
    `the log in ${dataDir} is a copy of the log of a cluster: set CLUSTER=1, or take the folder out of the cluster with reprise cluster leave`,
  )
}
