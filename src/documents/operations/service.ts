// The operations without a token: health, metrics, documents.
import Type from 'typebox'
import { Health, Readiness } from '../../contract/responses.ts'
import { defineOperations, json } from '../operation.ts'

const document = Type.Record(Type.String(), Type.Unknown())

export const serviceOperations = defineOperations({
  getHealth: {
    method: 'GET',
    path: '/healthz',
    tag: 'Service',
    access: 'open',
    summary: 'Is the process alive?',
    about: 'Answers as long as it runs.',
    answers: [
      { status: 200, about: 'It is.', type: json, schema: Health, examples: { ok: { status: 'ok' } } },
    ],
  },
  getReadiness: {
    method: 'GET',
    path: '/readyz',
    tag: 'Service',
    access: 'open',
    summary: 'Can the server take work?',
    about: 'No while its log cannot be written, its lists are behind the log, or it shuts down.',
    answers: [
      { status: 200, about: 'It can.', type: json, schema: Readiness },
      { status: 503, about: 'It cannot.', type: json, schema: Readiness },
    ],
  },
  getMetrics: {
    method: 'GET',
    path: '/metrics',
    tag: 'Service',
    access: 'open',
    summary: 'Metrics for Prometheus',
    about: 'Counts of tasks, requests, events and streams; nothing of any user.',
    answers: [
      { status: 200, about: 'In Prometheus’ text format.', type: 'text/plain', schema: Type.String() },
    ],
  },
  getDocs: {
    method: 'GET',
    path: '/docs',
    tag: 'Service',
    access: 'open',
    summary: 'This interface as a page',
    about: 'Every operation, to read and to try.',
    answers: [{ status: 200, about: 'The page.', type: 'text/html', schema: Type.String() }],
  },
  getOpenApi: {
    method: 'GET',
    path: '/openapi.json',
    tag: 'Service',
    access: 'open',
    summary: 'This interface as OpenAPI 3.1',
    about: 'The operations, with the schemas that requests are checked by.',
    answers: [{ status: 200, about: 'The document.', type: json, schema: document }],
  },
  getAsyncApi: {
    method: 'GET',
    path: '/asyncapi.json',
    tag: 'Service',
    access: 'open',
    summary: 'The streams as AsyncAPI 3.0',
    about: 'Every kind of event and frame that is emitted.',
    answers: [{ status: 200, about: 'The document.', type: json, schema: document }],
  },
})
