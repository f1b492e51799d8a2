import type { Report } from '../contract/ports.ts'

/** What the operator is told of the connection to NATS: each change of it, and each kind of refusal, once. */
export const createNatsReports = (report: Report, servers: string) => {
  let state: 'new' | 'here' | 'away' = 'new'
  const refusals = new Set<string>()
  return {
    connected(server: string): void {
      report(state === 'new' ? 'info' : 'warn', 'NATS is connected', { server })
      state = 'here'
    },
    /** `isExpected`: the server stops, so nobody needs to know. */
    away(reason: string, isExpected: boolean): void {
      if (state !== 'away' && !isExpected)
        report('warn', `NATS is away, events are told from the log: ${reason}`, { servers })
      state = 'away'
    },
    refused(reason: string): void {
      const [kind = ''] = reason.split('"')
      if (!refusals.has(kind)) report('warn', `NATS refuses something: ${reason}`)
      refusals.add(kind)
    },
  }
}
