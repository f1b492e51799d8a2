import type { Report } from '../contract/ports.ts'

/** What the operator is told of the way to NATS: each trouble once, and that it is over. */
export const createRelayReports = (report: Report) => {
  let trouble = ''
  return {
    trouble(level: 'warn' | 'error', message: string): void {
      if (message !== trouble) report(level, message)
      trouble = message
    },
    /** NATS takes events. */
    taken(): void {
      if (trouble !== '') report('warn', 'events reach NATS again')
      trouble = ''
    },
    tooLong(position: number): void {
      report('warn', 'an event is too long for NATS: readers find it in the log', { position })
    },
  }
}
export type RelayReports = ReturnType<typeof createRelayReports>
