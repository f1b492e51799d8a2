import type { Report } from '../../contract/ports.ts'

/**
 * Reports the connection of a node to the servers of the log: each change of the connection, and each kind of refusal
 * once.
 */
export const createLinkReports = (report: Report, servers: string) => {
  let state: 'new' | 'here' | 'away' = 'new'
  const refusals = new Set<string>()
  return {
    connected(server: string): void {
      report(state === 'new' ? 'info' : 'warn', 'The servers of the shared log are connected', { server })
      state = 'here'
    },
    /** `isExpected`: the node is stopping, so there is nothing to report. */
    away(reason: string, isExpected: boolean): void {
      if (state !== 'away' && !isExpected)
        report('warn', `The servers of the shared log are away: ${reason}`, { servers })
      state = 'away'
    },
    refused(reason: string): void {
      const [kind = ''] = reason.split('"')
      if (!refusals.has(kind))
        report('error', `The servers of the shared log refuse something: ${reason}; give this user the right`)
      refusals.add(kind)
    },
  }
}
