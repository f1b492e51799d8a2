// What is used of these libraries, in a file of its own, so that they are loaded when they are needed (like
// src/metrics/prom-client.ts).
export { SpanKind, SpanStatusCode, TraceFlags } from '@opentelemetry/api'
export { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto'
export { resourceFromAttributes } from '@opentelemetry/resources'
