// Sends spans to a collector by OTLP over HTTP. Only this file imports OpenTelemetry, and it does so only when it is
// called. A server without export therefore does not load OpenTelemetry.
import { version } from '../platform/version.ts'
import type { TelemetrySettings } from './settings.ts'
import type { Span } from './spans.ts'

export type Exporter = {
  /**
   * Resolves when the collector has accepted the spans. Rejects with SpansRefused, or with another error if a retry may
   * succeed.
   */
  send(spans: Span[]): Promise<void>
}

/** The collector will never accept these spans, because they are invalid or too large. */
export class SpansRefused extends Error {}

const reasonOf = (error: unknown): Error => {
  const { message, code } = error as { message?: string; code?: unknown }
  if (code === 400 || code === 413) return new SpansRefused(`the collector answered ${code}`)
  if (typeof code === 'number') return new Error(`the collector answered ${code}`)
  return new Error(message || String(code ?? 'unknown reason'))
}

/** The code by which OpenTelemetry packages report success. */
const success = 0

const hrTime = (ms: number): [seconds: number, nanoseconds: number] => [
  Math.floor(ms / 1000),
  (ms % 1000) * 1_000_000,
]

export const createExporter = async (settings: TelemetrySettings): Promise<Exporter> => {
  const { url, headers, timeoutMs: timeoutMillis } = settings
  const { OTLPTraceExporter, resourceFromAttributes, SpanKind, SpanStatusCode, TraceFlags } = await import(
    './opentelemetry.ts'
  )
  const exporter = new OTLPTraceExporter({ url, headers, timeoutMillis })
  const resource = resourceFromAttributes({ 'service.version': version, ...settings.resource })
  const instrumentationScope = { name: 'reprise', version }

  type ReadableSpan = Parameters<typeof exporter.export>[0][number]
  const contextOf = (traceId: string, spanId: string) => ({ traceId, spanId, traceFlags: TraceFlags.SAMPLED })
  const readable = ({ traceId, spanId, parentSpanId, ...span }: Span): ReadableSpan => ({
    name: span.name,
    kind: span.kind === 'client' ? SpanKind.CLIENT : SpanKind.INTERNAL,
    spanContext: () => contextOf(traceId, spanId),
    ...(parentSpanId === undefined ? {} : { parentSpanContext: contextOf(traceId, parentSpanId) }),
    startTime: hrTime(span.start),
    endTime: hrTime(span.end),
    duration: hrTime(span.end - span.start),
    ended: true,
    status: { code: span.failed ? SpanStatusCode.ERROR : SpanStatusCode.UNSET },
    attributes: span.attributes,
    links: [],
    events: [],
    resource,
    instrumentationScope,
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  })

  return {
    send: spans =>
      new Promise((resolve, reject) => {
        exporter.export(spans.map(readable), ({ code, error }) =>
          code === success ? resolve() : reject(reasonOf(error)),
        )
      }),
  }
}
