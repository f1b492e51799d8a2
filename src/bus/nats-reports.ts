import type { Report } from '../contract/ports.ts'

/** Tells the operator each change of the connection to NATS, and each kind of refusal once. */
export const createNatsReports = (report: Report, servers: string) => {
  let state: 'new' | 'here' | 'away' = 'new'
  const refusals = new Set<string>()
  return {
    connected(server: string): void {
      report(state === 'new' ? 'info' : 'warn', 'NATS is connected', { server })
      state = 'here'
    },
    /** `isExpected`: the server is stopping, so there is nothing to report. */
    away(reason: string, isExpected: boolean): void {
      if (state !== 'away' && !isExpected)
        report('warn', `NATS is away, so events go to subscribers directly from the log: ${reason}`, {
          servers,
        })
      state = 'away'
    },
    refused(reason: string): void {
      const [kind = ''] = reason.split('"')
      if (!refusals.has(kind))
        report('warn', `NATS refuses something: ${reason}; give this user the permission`)
      refusals.add(kind)
    },
  }
}
