// Whether and where spans are exported, and with which content: the standard variables of OpenTelemetry, checked.
import { validateHeaderName, validateHeaderValue } from 'node:http'
import { CannotStart } from '../contract/cannot-start.ts'

export type TelemetrySettings = Readonly<{
  /** The URL that spans are posted to. */
  url: string
  /** May contain secrets, so they are never shown. */
  headers: Readonly<Record<string, string>>
  timeoutMs: number
  resource: Readonly<Record<string, string>>
  /** Messages, arguments and results are exported too. */
  contents: boolean
}>

type Env = Record<string, string | undefined>

/** The variable for traces, else the one for every signal; an empty variable counts as not set. */
const variable = (env: Env, name: string): { name: string; value: string } | undefined => {
  for (const one of [`OTEL_EXPORTER_OTLP_TRACES_${name}`, `OTEL_EXPORTER_OTLP_${name}`]) {
    const value = env[one]?.trim()
    if (value) return { name: one, value }
  }
  return undefined
}

/** Parses `key=value,key=value`, percent-encoded. An error does not contain the value, which may be a secret. */
const pairsIn = (env: Env, name: string): [string, string][] =>
  (env[name] ?? '')
    .split(',')
    .filter(pair => pair.trim() !== '')
    .map(pair => {
      const [, key = '', value = ''] = /^\s*([^=\s]+)\s*=(.*)$/s.exec(pair) ?? []
      try {
        if (key !== '') return [decodeURIComponent(key), decodeURIComponent(value.trim())]
      } catch {}
      throw new CannotStart(`${name} is no list of key=value pairs, percent-encoded and separated by commas`)
    })

const headersOf = (env: Env): Record<string, string> => {
  const names = ['OTEL_EXPORTER_OTLP_HEADERS', 'OTEL_EXPORTER_OTLP_TRACES_HEADERS']
  const headers = names.flatMap(name =>
    pairsIn(env, name).map(([key, value]) => {
      try {
        validateHeaderName(key)
        validateHeaderValue(key, value)
      } catch {
        throw new CannotStart(`${name} holds what cannot be a header of HTTP`)
      }
      return [key.toLowerCase(), value]
    }),
  )
  return Object.fromEntries(headers)
}

const urlOf = ({ name, value }: { name: string; value: string }): string => {
  if (!URL.canParse(value) || !/^https?:$/.test(new URL(value).protocol)) {
    throw new CannotStart(`${name} is no http or https URL, such as http://127.0.0.1:4318`)
  }
  const { username, password } = new URL(value)
  if (username || password) {
    throw new CannotStart(
      `${name} must not hold a user or a password: OTEL_EXPORTER_OTLP_HEADERS is for such`,
    )
  }
  if (name.includes('TRACES')) return value
  return `${value.replace(/\/$/, '')}/v1/traces`
}

const timeoutOf = (env: Env): number => {
  const timeout = variable(env, 'TIMEOUT')
  if (timeout === undefined) return 10_000
  if (!/^\d{1,9}$/.test(timeout.value) || Number(timeout.value) === 0) {
    throw new CannotStart(`${timeout.name}=${timeout.value} is not a number of milliseconds from 1`)
  }
  return Number(timeout.value)
}

/**
 * The settings of the export; undefined: nothing is exported. Throws CannotStart for an invalid or unsupported value.
 */
export const telemetryOf = (env: Env): TelemetrySettings | undefined => {
  const endpoint = variable(env, 'ENDPOINT')
  const exporter = env.OTEL_TRACES_EXPORTER?.trim() || 'otlp'
  const disabled = env.OTEL_SDK_DISABLED?.trim().toLowerCase() === 'true'
  if (endpoint === undefined || disabled || exporter === 'none') return undefined
  if (exporter !== 'otlp') {
    throw new CannotStart(`OTEL_TRACES_EXPORTER=${exporter} is not supported: otlp or none`)
  }
  const protocol = variable(env, 'PROTOCOL')
  if (protocol !== undefined && protocol.value !== 'http/protobuf') {
    throw new CannotStart(
      `${protocol.name}=${protocol.value} is not supported: spans are exported by http/protobuf`,
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
