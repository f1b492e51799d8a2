import type { Report } from '../../contract/ports.ts'

/**
 * Reports the first connection of a node to the servers of the log, and each kind of refusal once. Later changes of the
 * connection are of interest to developers alone: when the servers stay away, that is a condition of the node.
 */
export const createLinkReports = (report: Report, servers: string) => {
  let isNew = true
  const refusals = new Set<string>()
  return {
    connected(server: string): void {
      report(isNew ? 'info' : 'debug', 'the servers of the shared log are connected', { server })
      isNew = false
    },
    /** `isExpected`: the node is stopping, so there is nothing to report. */
    away(reason: string, isExpected: boolean): void {
      if (isExpected) return
      report(isNew ? 'warn' : 'debug', `the servers of the shared log are away: ${reason}`, { servers })
      isNew = false
    },
    refused(reason: string): void {
      const [kind = ''] = reason.split('"')
      if (!refusals.has(kind))
        report('error', `The servers of the shared log refuse something: ${reason}; give this user the right`)
      refusals.add(kind)
    },
  }
}
