// Follows the log and exports the spans of its tasks. It reads the log page by page after the commits, so no task waits
// for the export. It stores only its checkpoint. While the collector cannot be reached, the follower waits at its
// position. After a restart it continues from the checkpoint. So every span is exported at least once, and in order.
import type { Report, Timers } from '../contract/ports.ts'
import type { Recorded } from '../contract/stored.ts'
import { readPosition, saveCheckpoint } from '../log/follower/checkpoint.ts'
import type { Subscription } from '../log/follower/follower.ts'
import type { EventLog } from '../log/log.ts'
import { sleep, waitAtMost } from '../platform/sleep.ts'
import { createExporter, type Exporter, SpansRefused } from './exporter.ts'
import type { TelemetrySettings } from './settings.ts'
import type { Span } from './spans.ts'
import { createTracker } from './tracker.ts'

// Reads and stores the position up to which the spans of a log were exported.

/**
 * The position after which the export continues: that of the checkpoint, or the head of the log if there is no
 * checkpoint of this log.
 */
const lastExported = (
  file: string,
  log: Pick<EventLog, 'id' | 'head' | 'leafAt'>,
  report: Report,
): number => {
  const saved = readPosition(file, log)
  if (typeof saved === 'number') return saved
  if (saved === 'foreign')
    report('warn', `${file} does not belong to this log: the export of spans begins at the end of the log`)
  return log.head()
}

const saveExported = saveCheckpoint

export type TelemetryDeps = {
  log: EventLog
  /** The file of the checkpoint. */
  file: string
  settings: TelemetrySettings
  timers: Timers
  report: Report
}

/** Events are collected for this many milliseconds, and then exported together. */
const gatherMs = 1000
/** Milliseconds between two pages while the export is behind the log, so that other work has its turn. */
const breathMs = 20
const shortestWaitMs = 1000
const longestWaitMs = 60_000
/**
 * The longest time for a last export when the server stops, in milliseconds. The remaining spans are exported after the
 * next start.
 */
const lastTryMs = 1000

class Stopped extends Error {}

/**
 * Sends spans. If the collector refuses them, they are sent again in halves, so that only the invalid spans are lost.
 */
const deliver = async (exporter: Exporter, spans: Span[], report: Report): Promise<void> => {
  try {
    await exporter.send(spans)
  } catch (error) {
    if (!(error instanceof SpansRefused)) throw error
    const half = Math.ceil(spans.length / 2)
    if (spans.length > 1) {
      await deliver(exporter, spans.slice(0, half), report)
      return deliver(exporter, spans.slice(half), report)
    }
    const [span] = spans
    report('warn', `a span is lost, because the collector refused it: ${error.message}`, {
      span: span?.name,
      trace_id: span?.traceId,
    })
  }
}

/** Exports the spans after the checkpoint. If there is no checkpoint, the export begins at the end of the log. */
export const startTelemetry = ({ log, file, settings, timers, report }: TelemetryDeps) => {
  const tracker = createTracker(log, settings.contents)
  let position = lastExported(file, log, report)
  let subscription: Subscription | undefined
  let isBehind = false
  const stopping = new AbortController()
  let stopped = false
  let failing = false

  const pause = (ms: number) => sleep(timers, ms, stopping.signal)
  /** Repeats the work until it succeeds, with growing pauses. Rejects with Stopped when the server stops. */
  const insist = async <T>(work: () => Promise<T>): Promise<T> => {
    for (let wait = shortestWaitMs; ; ) {
      const from = position
      try {
        const result = await work()
        if (failing) report('warn', 'spans are exported again')
        failing = false
        return result
      } catch (error) {
        if (stopping.signal.aborted) throw new Stopped()
        if (!failing) {
          const reason = error instanceof Error ? error.message : String(error)
          report('warn', `spans cannot be exported at the moment, and will be exported later: ${reason}`)
        }
        failing = true
      }
      if (position > from) wait = shortestWaitMs
      await pause(wait)
      wait = Math.min(2 * wait, longestWaitMs)
    }
  }

  const save = (upTo: number): Promise<void> =>
    insist(async () => {
      if (!stopped) await saveExported(file, log, upTo)
    })
  const endAtHead = () => {
    if (stopping.signal.aborted && position >= log.head()) void subscription?.stop()
  }
  const take = async (exporter: Exporter, events: readonly Recorded[]): Promise<void> => {
    const spans = await insist(() => tracker.take(events))
    if (spans.length > 0) await insist(() => deliver(exporter, spans, report))
    position = events.at(-1)?.position ?? position
    await save(position)
    isBehind = position < log.head()
    endAtHead()
  }
  const beforeRead = () => pause(isBehind ? breathMs : gatherMs)

  const follow = async (): Promise<void> => {
    const exporter = await createExporter(settings)
    await save(position)
    await insist(() => {
      subscription = log.subscribe({ after: position, inPages: true, beforeRead }, events =>
        take(exporter, events),
      )
      endAtHead()
      return subscription.done
    })
  }

  const done = follow().catch(error => {
    if (error instanceof Stopped) return
    report('error', 'the export of spans has ended with an error: restart the server to continue it', {
      error: error instanceof Error ? error.stack : String(error),
    })
  })

  return {
    /** Exports the remaining spans if that takes little time. */
    async stop(): Promise<void> {
      stopping.abort()
      endAtHead()
      await waitAtMost(timers, lastTryMs, done)
      stopped = true
    },
  }
}
export type Telemetry = ReturnType<typeof startTelemetry>
