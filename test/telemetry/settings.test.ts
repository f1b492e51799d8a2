import t from 'tap'
import { CannotStart } from '../../src/contract/cannot-start.ts'
import { telemetryOf } from '../../src/telemetry/settings.ts'

const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' }

t.test('nothing is exported unless an endpoint is named, nor when OpenTelemetry is switched off', async t => {
  for (const env of [
    {},
    { OTEL_EXPORTER_OTLP_ENDPOINT: '' },
    { OTEL_SERVICE_NAME: 'mine', OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' },
    { ...endpoint, OTEL_SDK_DISABLED: 'TRUE' },
    { ...endpoint, OTEL_TRACES_EXPORTER: 'none' },
  ]) {
    t.equal(telemetryOf(env), undefined, JSON.stringify(env))
  }
  t.ok(telemetryOf({ ...endpoint, OTEL_SDK_DISABLED: 'false', OTEL_TRACES_EXPORTER: 'otlp' }))
})

t.test('the variables for traces come before those for every signal', async t => {
  t.same(telemetryOf(endpoint), {
    url: 'http://collector:4318/v1/traces',
    headers: {},
    timeoutMs: 10_000,
    resource: { 'service.name': 'reprise' },
    contents: false,
  })
  t.equal(telemetryOf({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c/otlp/' })?.url, 'http://c/otlp/v1/traces')
  t.same(
    telemetryOf({
      ...endpoint,
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://traces.example/in',
      OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
      OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/protobuf',
      OTEL_EXPORTER_OTLP_HEADERS: 'Authorization=Basic%20YQ==, x-a = 1,',
      OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'X-A=2',
      OTEL_EXPORTER_OTLP_TIMEOUT: '9000',
      OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: '3000',
      OTEL_RESOURCE_ATTRIBUTES: 'service.name=theirs,team=a%2Cb',
      OTEL_SERVICE_NAME: 'mine',
      OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: 'true',
    }),
    {
      url: 'https://traces.example/in',
      headers: { authorization: 'Basic YQ==', 'x-a': '2' },
      timeoutMs: 3000,
      resource: { 'service.name': 'mine', team: 'a,b' },
      contents: true,
    },
  )
  t.equal(
    telemetryOf({ ...endpoint, OTEL_RESOURCE_ATTRIBUTES: 'service.name=theirs' })?.resource['service.name'],
    'theirs',
  )
})

t.test('what cannot be followed is said in one line, without a secret', async t => {
  const says = (env: Record<string, string>, message: string | RegExp) => {
    try {
      telemetryOf({ ...endpoint, ...env })
      t.fail(`${JSON.stringify(env)} is taken`)
    } catch (error) {
      t.ok(error instanceof CannotStart)
      const line = (error as Error).message
      t.match(line, message)
      t.notMatch(line, /hush|\n/)
    }
  }
  says(
    { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' },
    /^OTEL_EXPORTER_OTLP_PROTOCOL=grpc is not supported: .*http\/protobuf, or unset the variable$/,
  )
  says(
    { OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/json' },
    /^OTEL_EXPORTER_OTLP_TRACES_PROTOCOL=http\/json is not/,
  )
  says({ OTEL_TRACES_EXPORTER: 'zipkin' }, 'OTEL_TRACES_EXPORTER=zipkin is not supported: use otlp or none')
  says(
    { OTEL_EXPORTER_OTLP_ENDPOINT: 'localhost:4317' },
    /^OTEL_EXPORTER_OTLP_ENDPOINT must be an http or https URL/,
  )
  says(
    { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'nowhere' },
    /^OTEL_EXPORTER_OTLP_TRACES_ENDPOINT must be an http/,
  )
  says({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://me:hush@collector' }, /must not contain a user or a password/)
  for (const headers of ['hush', '=hush', 'x-a=%E0%A4%A', 'two words=hush']) {
    says(
      { OTEL_EXPORTER_OTLP_HEADERS: headers },
      /^OTEL_EXPORTER_OTLP_HEADERS must be a list of key=value pairs/,
    )
  }
  says({ OTEL_EXPORTER_OTLP_HEADERS: 'x(a)=hush' }, /only names and values that HTTP allows in headers/)
  says({ OTEL_EXPORTER_OTLP_HEADERS: 'x-a=hush%0A' }, /only names and values that HTTP allows in headers/)
  says({ OTEL_RESOURCE_ATTRIBUTES: 'team' }, /^OTEL_RESOURCE_ATTRIBUTES must be a list/)
  for (const timeout of ['0', '1.5', 'soon']) {
    says(
      { OTEL_EXPORTER_OTLP_TIMEOUT: timeout },
      `OTEL_EXPORTER_OTLP_TIMEOUT=${timeout} must be a whole number`,
    )
  }
})
