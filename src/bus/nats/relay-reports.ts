import type { Report } from '../../contract/ports.ts'
import { streamName } from './relay-stream.ts'

/** A stream that changes its leader refuses messages for a moment. The operator is told only of failures that last longer. */
const briefMs = 1000
/** The operator must look at the stream when NATS answers, but has taken no event for this many milliseconds. */
const silentMs = 60_000
const advice = `${streamName} has taken no event for a minute, although NATS answers: see that all NATS servers run. If "nats \
stream info ${streamName}" shows no leader then, or fails, remove the stream with "nats stream rm ${streamName}": Reprise makes \
it again and fills it from the log`

/**
 * Tells the operator when events do not reach NATS: each problem once, and its end. `now` returns the milliseconds of a
 * clock that only goes forward.
 */
export const createRelayReports = (report: Report, now: () => number) => {
  let fault = ''
  let isStuck = false
  /** Since when tries have failed; undefined: NATS was away, or has taken events since. */
  let failingSince: number | undefined
  const say = (level: 'warn' | 'error', message: string, fields = {}): void => {
    if (message !== fault) report(level, message, fields)
    fault = message
  }
  return {
    /** Whether NATS gets no events until the operator has solved a problem. */
    isStuck: () => isStuck,
    connected(): void {
      failingSince = undefined
    },
    /** A try has failed, and the next one may succeed. */
    failed(reason: string): void {
      failingSince ??= now()
      const forMs = now() - failingSince
      isStuck = forMs >= silentMs
      if (forMs < briefMs) return
      if (isStuck) say('error', `NATS gets no events until this is solved: ${advice}`, { reason })
      else say('warn', `events do not reach NATS, and the relay tries again: ${reason}`)
    },
    /** No try can succeed before the operator has solved the problem. */
    stopped(reason: string): void {
      isStuck = true
      say('error', `NATS gets no events until this is solved: ${reason}`)
    },
    /** The stream fits the log. Whether it takes events is not known yet. */
    opened(): void {
      if (failingSince === undefined) isStuck = false
    },
    /** NATS has taken events, or has all of them. */
    reached(): void {
      if (fault !== '') report('warn', 'events reach NATS again')
      fault = ''
      failingSince = undefined
      isStuck = false
    },
    tooLong(position: number): void {
      report('warn', 'an event is too long for NATS and was not sent: readers find it at /api/events', {
        position,
      })
    },
  }
}
export type RelayReports = ReturnType<typeof createRelayReports>
