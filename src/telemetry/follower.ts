// Follows the log and exports the spans of its tasks. It reads behind the commits, a page at a time, and holds nothing
// that the log does not hold: while the collector is away it waits where it is, after a restart it goes on from its
// checkpoint, so every span is exported once at least, in order, and no task ever waits for it.
import type { Report, Timers } from '../contract/ports.ts'
import type { Recorded } from '../contract/stored.ts'
import type { Subscription } from '../log/follower.ts'
import type { EventLog } from '../log/log.ts'
import { sleep } from '../platform/sleep.ts'
import { lastExported, saveExported } from './checkpoint.ts'
import { createExporter, type Exporter, SpansRefused } from './exporter.ts'
import type { TelemetrySettings } from './settings.ts'
import type { Span } from './spans.ts'
import { createTracker } from './tracker.ts'

export type TelemetryDeps = {
  log: EventLog
  /** Where the checkpoint is kept. */
  file: string
  settings: TelemetrySettings
  timers: Timers
  report: Report
}

/** Events that come one after the other are exported together. */
const gatherMs = 1000
/** Between two pages of what was missed others have their turn. */
const breathMs = 20
const shortestWaitMs = 1000
const longestWaitMs = 60_000
/** For what was not exported when the server stops; the rest is, after the next start. */
const lastTryMs = 1000

class Stopped extends Error {}

/** Spans that are refused together are sent in halves, so that no more is lost than what is wrong. */
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
    report('warn', `a span is given up: ${error.message}`, { span: span?.name, trace_id: span?.traceId })
  }
}

/** Exports from now on; without a checkpoint, what is appended from now on. */
export const startTelemetry = ({ log, file, settings, timers, report }: TelemetryDeps) => {
  const tracker = createTracker(log, settings.contents)
  let position = lastExported(file, log, report)
  let subscription: Subscription | undefined
  let isBehind = false
  const stopping = new AbortController()
  let stopped = false
  let failing = false

  const pause = (ms: number) => sleep(timers, ms, stopping.signal)
  /** Tries until it is done, ever more patiently while nothing is exported. Rejects with Stopped. */
  const insist = async <T>(work: () => Promise<T>): Promise<T> => {
    for (let wait = shortestWaitMs; ; ) {
      const from = position
      try {
        const done = await work()
        if (failing) report('warn', 'spans are exported again')
        failing = false
        return done
      } catch (error) {
        if (stopping.signal.aborted) throw new Stopped()
        if (!failing) {
          const reason = error instanceof Error ? error.message : String(error)
          report('warn', `spans cannot be exported, they will be later: ${reason}`)
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
    report('error', 'spans are no longer exported', {
      error: error instanceof Error ? error.stack : String(error),
    })
  })

  return {
    /** Exports what is there if that takes no time. */
    async stop(): Promise<void> {
      stopping.abort()
      endAtHead()
      await Promise.race([done, new Promise<void>(resolve => timers.after(lastTryMs, resolve))])
      stopped = true
    },
  }
}
export type Telemetry = ReturnType<typeof startTelemetry>
