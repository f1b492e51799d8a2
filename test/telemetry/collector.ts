// A collector that keeps what it gets, and telemetry that is in a hurry: a second takes it a hundredth.
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'
import type { Timers } from '../../src/contract/ports.ts'
import type { Recorded } from '../../src/contract/stored.ts'
import type { EventLog } from '../../src/log/log.ts'
import { startTelemetry, type Telemetry } from '../../src/telemetry/follower.ts'
import { type TelemetrySettings, telemetryOf } from '../../src/telemetry/settings.ts'
import type { Span } from '../../src/telemetry/spans.ts'
import { createTracker } from '../../src/telemetry/tracker.ts'
import { type ExportedSpan, spansIn } from './otlp.ts'

type Request = { url: string; headers: IncomingHttpHeaders; spans: ExportedSpan[] }

/** `answer` chooses the status of each answer; 200 by default. */
export const collector = async (
  t: Test,
  answer: (spans: ExportedSpan[]) => number | Promise<number> = () => 200,
) => {
  const requests: Request[] = []
  const spans: ExportedSpan[] = []
  let changed = () => {}
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const sent = spansIn(Buffer.concat(chunks))
    requests.push({ url: request.url ?? '', headers: request.headers, spans: sent })
    changed()
    const status = await answer(sent)
    if (status === 200) spans.push(...sent)
    response.writeHead(status, { 'content-type': 'application/x-protobuf' }).end()
    changed()
  })
  const listen = async (port: number) => {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
    return (server.address() as AddressInfo).port
  }
  const port = await listen(0)
  const close = async () => {
    server.closeAllConnections()
    if (server.listening) await new Promise(resolve => server.close(resolve))
  }
  t.teardown(close)
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    /** What was taken, in order. */
    spans,
    close,
    back: () => listen(port),
    /** Resolves when it is as `is` says, now or after some request. */
    async until(is: () => boolean): Promise<void> {
      while (!is()) {
        await new Promise<void>(resolve => {
          changed = resolve
        })
      }
    },
  }
}
export type Collector = Awaited<ReturnType<typeof collector>>

export const settingsFor = (url: string, env: Record<string, string> = {}): TelemetrySettings => {
  const settings = telemetryOf({
    OTEL_EXPORTER_OTLP_ENDPOINT: url,
    OTEL_EXPORTER_OTLP_TIMEOUT: '500',
    ...env,
  })
  if (settings === undefined) throw new Error('nothing is exported')
  return settings
}

/** Timers `speed` times as fast as they should be, and what was asked of them. */
const hurried = (speed: number) => {
  const asked: number[] = []
  const timers: Timers = {
    after(ms, job) {
      asked.push(ms)
      const timer = setTimeout(job, ms / speed)
      return () => clearTimeout(timer)
    },
    every: () => () => {},
  }
  return { asked, timers }
}

/** Follows a log as a server does, until it is stopped or the test ends. */
export const follow = (
  t: Test,
  given: { log: EventLog; file: string; url: string; env?: Record<string, string>; speed?: number },
): Telemetry & { lines: string[]; waits: number[] } => {
  const { log, file, url, env = {}, speed = 100 } = given
  const lines: string[] = []
  const { asked, timers } = hurried(speed)
  const report = (_: string, message: string) => void lines.push(message)
  const telemetry = startTelemetry({ log, file, settings: settingsFor(url, env), timers, report })
  t.teardown(telemetry.stop)
  return { ...telemetry, lines, waits: asked }
}

/** All spans of a log, told at once. */
export const spansOf = async (log: EventLog, withContents = false): Promise<Span[]> => {
  const events: Recorded[] = []
  for await (const page of log.readAll()) events.push(...page)
  return createTracker(log, withContents).take(events)
}
