// Reads and checks the standard variables of OpenTelemetry. They say whether spans are exported, where to, and whether
// with message contents.
import { validateHeaderName, validateHeaderValue } from 'node:http'
import { CannotStart } from '../contract/cannot-start.ts'

export type TelemetrySettings = Readonly<{
  /** The URL to which spans are posted. */
  url: string
  /** The headers of each export. They may contain secrets, so the server never shows them. */
  headers: Readonly<Record<string, string>>
  timeoutMs: number
  resource: Readonly<Record<string, string>>
  /** True: messages, arguments and results are exported too. */
  contents: boolean
}>

type Env = Record<string, string | undefined>

/** The variable for traces, or else the variable for all signals. An empty variable counts as not set. */
const variable = (env: Env, name: string): { name: string; value: string } | undefined => {
  for (const one of [`OTEL_EXPORTER_OTLP_TRACES_${name}`, `OTEL_EXPORTER_OTLP_${name}`]) {
    const value = env[one]?.trim()
    if (value) return { name: one, value }
  }
  return undefined
}

/**
 * Parses `key=value,key=value` with percent-encoding. The error does not contain the value, because the value may be a
 * secret.
 */
const pairsIn = (env: Env, name: string): [string, string][] =>
  (env[name] ?? '')
    .split(',')
    .filter(pair => pair.trim() !== '')
    .map(pair => {
      const [, key = '', value = ''] = /^\s*([^=\s]+)\s*=(.*)$/s.exec(pair) ?? []
      try {
        if (key !== '') return [decodeURIComponent(key), decodeURIComponent(value.trim())]
      } catch {}
      throw new CannotStart(
        `${name} must be a list of key=value pairs, percent-encoded and separated by commas`,
      )
    })

const headersOf = (env: Env): Record<string, string> => {
  const names = ['OTEL_EXPORTER_OTLP_HEADERS', 'OTEL_EXPORTER_OTLP_TRACES_HEADERS']
  const headers = names.flatMap(name =>
    pairsIn(env, name).map(([key, value]) => {
      try {
        validateHeaderName(key)
        validateHeaderValue(key, value)
      } catch {
        throw new CannotStart(`${name} must contain only names and values that HTTP allows in headers`)
      }
      return [key.toLowerCase(), value]
    }),
  )
  return Object.fromEntries(headers)
}

const urlOf = ({ name, value }: { name: string; value: string }): string => {
  if (!URL.canParse(value) || !/^https?:$/.test(new URL(value).protocol)) {
    throw new CannotStart(`${name} must be an http or https URL, for example http://127.0.0.1:4318`)
  }
  const { username, password } = new URL(value)
  if (username || password) {
    throw new CannotStart(
      `${name} must not contain a user or a password: put credentials into OTEL_EXPORTER_OTLP_HEADERS`,
    )
  }
  if (name.includes('TRACES')) return value
  return `${value.replace(/\/$/, '')}/v1/traces`
}

const timeoutOf = (env: Env): number => {
  const timeout = variable(env, 'TIMEOUT')
  if (timeout === undefined) return 10_000
  if (!/^\d{1,9}$/.test(timeout.value) || Number(timeout.value) === 0) {
    throw new CannotStart(
      `${timeout.name}=${timeout.value} must be a whole number of milliseconds, at least 1`,
    )
  }
  return Number(timeout.value)
}

/**
 * The settings of the export. Undefined: nothing is exported. Throws CannotStart for an invalid or unsupported value.
 */
export const telemetryOf = (env: Env): TelemetrySettings | undefined => {
  const endpoint = variable(env, 'ENDPOINT')
  const exporter = env.OTEL_TRACES_EXPORTER?.trim() || 'otlp'
  const disabled = env.OTEL_SDK_DISABLED?.trim().toLowerCase() === 'true'
  if (endpoint === undefined || disabled || exporter === 'none') return undefined
  if (exporter !== 'otlp') {
    throw new CannotStart(`OTEL_TRACES_EXPORTER=${exporter} is not supported: use otlp or none`)
  }
  const protocol = variable(env, 'PROTOCOL')
  if (protocol !== undefined && protocol.value !== 'http/protobuf') {
    throw new CannotStart(
      `${protocol.name}=${protocol.value} is not supported: use http/protobuf, or unset the variable`,
    )
  }
  const name = env.OTEL_SERVICE_NAME?.trim()
  const resource = {
    'service.name': 'reprise',
    ...Object.fromEntries(pairsIn(env, 'OTEL_RESOURCE_ATTRIBUTES')),
    ...(name ? { 'service.name': name } : {}),
  }
  return Object.freeze({
    url: urlOf(endpoint),
    headers: Object.freeze(headersOf(env)),
    timeoutMs: timeoutOf(env),
    resource: Object.freeze(resource),
    contents: env.OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT?.trim().toLowerCase() === 'true',
  })
}
