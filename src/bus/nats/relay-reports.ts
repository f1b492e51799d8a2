import type { Report } from '../../contract/ports.ts'

/** Tells the operator when events do not reach NATS: each problem once, and its end. */
export const createRelayReports = (report: Report) => {
  let fault = ''
  return {
    fault(level: 'warn' | 'error', message: string): void {
      if (message !== fault) report(level, message)
      fault = message
    },
    /** Called when NATS has taken events. */
    taken(): void {
      if (fault !== '') report('warn', 'events reach NATS again')
      fault = ''
    },
    tooLong(position: number): void {
      report('warn', 'an event is too long for NATS and was not sent: readers find it at /api/events', {
        position,
      })
    },
  }
}
export type RelayReports = ReturnType<typeof createRelayReports>
