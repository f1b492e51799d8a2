// The operations that concern the server itself: health, metrics, documents.
import Type from 'typebox'
import { Health, MetricSamples, Readiness, Root, StandbyReadiness } from '../../contract/responses.ts'
import { defineOperations, json } from '../operation.ts'
import { after, pages } from '../parameters.ts'

const document = Type.Record(Type.String(), Type.Unknown())

export const serviceOperations = defineOperations({
  getRoot: {
    method: 'GET',
    path: '/',
    tag: 'Service',
    access: 'open',
    summary: 'Where is what?',
    about:
      'The version of the server, and where its parts are. A browser, which accepts `text/html`, is led to the console.',
    answers: [
      {
        status: 200,
        about: 'The addresses begin with `PUBLIC_URL` if the server has one; otherwise they are paths.',
        type: json,
        schema: Root,
        examples: {
          root: {
            name: 'reprise',
            version: '0.2.0',
            console: '/ui',
            api: '/v1',
            docs: '/docs',
            openapi: '/openapi.json',
            events: '/api/events',
          },
        },
      },
    ],
  },
  getHealth: {
    method: 'GET',
    path: '/healthz',
    tag: 'Service',
    access: 'open',
    summary: 'Is the process alive?',
    about: 'The process answers as long as it runs.',
    answers: [
      {
        status: 200,
        about: 'The process is alive.',
        type: json,
        schema: Health,
        examples: { ok: { status: 'ok' } },
      },
    ],
  },
  getReadiness: {
    method: 'GET',
    path: '/readyz',
    tag: 'Service',
    access: 'open',
    summary: 'Can the server take work?',
    about:
      'The server cannot take work while its log cannot be written, while its lists are behind the log, or while it shuts down. On a cluster, a node answers for itself: a standby is ready when it could take over. `cluster.conditions` says what is wrong with the node or its cluster.',
    answers: [
      {
        status: 200,
        about: 'The server can take work.',
        type: json,
        schema: Type.Union([Readiness, StandbyReadiness]),
      },
      {
        status: 503,
        about: 'The server cannot take work.',
        type: json,
        schema: Type.Union([Readiness, StandbyReadiness]),
      },
    ],
  },
  getMetrics: {
    method: 'GET',
    path: '/metrics',
    tag: 'Service',
    access: 'open',
    summary: 'Metrics for Prometheus',
    about: 'Counts of tasks, requests, events and streams. The metrics contain no data of users.',
    answers: [
      {
        status: 200,
        about: 'The metrics, in the text format of Prometheus.',
        type: 'text/plain',
        schema: Type.String(),
      },
    ],
  },
  getPastMetrics: {
    method: 'GET',
    path: '/v1/metrics/past-hour',
    tag: 'Service',
    access: 'audit',
    summary: 'The past hour in samples',
    about:
      'A few metrics of the past hour, with a sample every few seconds, for a page that shows them as lines. The server keeps them in memory, so they begin with its start. For more, let Prometheus read `/metrics`.',
    parameters: [after('Only samples after this time, in Unix seconds.', 0), ...pages(1000, 1000, 'samples')],
    answers: [{ status: 200, about: 'The samples.', type: json, schema: MetricSamples }],
  },
  getDocs: {
    method: 'GET',
    path: '/docs',
    tag: 'Service',
    access: 'open',
    summary: 'This interface as a page',
    about: 'A page that describes every operation, with forms that send requests.',
    answers: [{ status: 200, about: 'The page.', type: 'text/html', schema: Type.String() }],
  },
  getConsole: {
    method: 'GET',
    path: '/ui',
    tag: 'Service',
    access: 'open',
    summary: 'The console',
    about:
      'A page on which people follow tasks, answer them, and look into their past. It uses this interface only. Every path below `/ui/` answers the same page.',
    answers: [{ status: 200, about: 'The page.', type: 'text/html', schema: Type.String() }],
  },
  getOpenApi: {
    method: 'GET',
    path: '/openapi.json',
    tag: 'Service',
    access: 'open',
    summary: 'This interface as OpenAPI 3.1',
    about: 'The operations, with the schemas by which the server checks requests.',
    answers: [{ status: 200, about: 'The document.', type: json, schema: document }],
  },
  getAsyncApi: {
    method: 'GET',
    path: '/asyncapi.json',
    tag: 'Service',
    access: 'open',
    summary: 'The streams as AsyncAPI 3.0',
    about: 'Every kind of event and frame that the server sends.',
    answers: [{ status: 200, about: 'The document.', type: json, schema: document }],
  },
})
