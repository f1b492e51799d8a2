// Reads `agent_config.tool_mcp_config` of a request: servers of the operator by name, or URLs with headers. Header
// values are secrets: they are removed before anything is stored, and added again when a server is used.
import { isExact } from '../contract/json/exact-number.ts'
import type { Problem } from '../contract/refusals.ts'
import { McpFailure } from './failure.ts'
import { isHeader, isServerUrl, type McpServer } from './server.ts'

type Fields = Record<string, unknown>
/** Header values, which are secrets, by the name of the server. */
export type McpHeaders = Record<string, Record<string, string>>

/** A request may name at most this many servers. */
const maxServers = 32
/** The greatest length of the name of a server, in characters. */
const longestName = 64
const hidden = '***'

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !isExact(value)

/** The servers of a config, which may be wrapped in `mcpServers` as in a file. */
const entriesOf = (config: Fields): { at: string[]; entries: [string, unknown][] } => {
  const { mcpServers } = config
  return isFields(mcpServers)
    ? { at: ['mcpServers'], entries: Object.entries(mcpServers) }
    : { at: [], entries: Object.entries(config) }
}

type Wrong = Pick<Problem, 'msg' | 'type'> & { at: string[] }
const wrong = (at: string[], msg: string, type = 'value_error'): Wrong => ({ at, msg, type })

const headerProblems = (headers: unknown): Wrong[] => {
  if (!isFields(headers)) return [wrong([], 'Input should be a valid dictionary', 'dict_type')]
  return Object.entries(headers).flatMap(([name, value]) => {
    if (typeof value !== 'string') return [wrong([name], 'Input should be a valid string', 'string_type')]
    return isHeader(name, value) ? [] : [wrong([name], 'This cannot be sent as a header')]
  })
}

const entryProblems = (name: string, entry: unknown, isConfigured: (name: string) => boolean): Wrong[] => {
  if (name === '' || name.length > longestName) {
    return [wrong([], `The name of a server has 1 to ${longestName} characters`)]
  }
  if (!isFields(entry)) return [wrong([], 'Input should be a valid dictionary', 'dict_type')]
  // Only the operator may start processes.
  const orders = ['command', 'args', 'env', 'cwd'].filter(key => entry[key] !== undefined)
  if (orders.length > 0) return orders.map(key => wrong([key], 'A request cannot give a command'))
  const { url, headers } = entry
  const inHeaders =
    headers === undefined
      ? []
      : headerProblems(headers).map(problem => ({ ...problem, at: ['headers', ...problem.at] }))
  if (url !== undefined) {
    if (typeof url !== 'string')
      return [wrong(['url'], 'Input should be a valid string', 'string_type'), ...inHeaders]
    if (isServerUrl(url)) return inHeaders
    return [wrong(['url'], 'An http or https URL without a user name is needed'), ...inHeaders]
  }
  if (!isConfigured(name)) return [wrong([], 'There is no MCP server of this name, and no url'), ...inHeaders]
  if (headers !== undefined) return [wrong(['headers'], 'Headers go with a url; this server has its own')]
  return []
}

/** The problems of a config, each with its place. `isConfigured`: whether the operator has a server of this name. */
export const mcpProblems = (
  config: Fields | null | undefined,
  isConfigured: (name: string) => boolean,
): Problem[] => {
  if (config === undefined || config === null) return []
  const { at, entries } = entriesOf(config)
  const problems =
    entries.length > maxServers
      ? [wrong([], `At most ${maxServers} servers`)]
      : entries.flatMap(([name, entry]) =>
          entryProblems(name, entry, isConfigured).map(problem => ({
            ...problem,
            at: [name, ...problem.at],
          })),
        )
  return problems.map(({ at: where, msg, type }) => ({
    loc: ['body', 'agent_config', 'tool_mcp_config', ...at, ...where],
    msg,
    type,
  }))
}

/** The paths of the keys that are ignored in a config. Values that are no config have none. */
export const ignoredInMcp = (config: unknown): string[] => {
  if (!isFields(config)) return []
  const { at, entries } = entriesOf(config)
  const beside = at.length === 0 ? [] : Object.keys(config).filter(key => !at.includes(key))
  const inServers = entries.slice(0, maxServers).flatMap(([name, entry]) =>
    Object.keys(isFields(entry) ? entry : {})
      .filter(key => key !== 'url' && key !== 'headers')
      .map(key => [...at, name, key].join('.')),
  )
  return [...beside, ...inServers]
}

/**
 * Splits a valid config into a config without header values, and the header values. Unknown keys are dropped, since
 * their values may be secrets.
 */
export const splitHeaders = (config: Fields): { shown: Fields; headers: McpHeaders } => {
  const { at, entries } = entriesOf(config)
  const named = entries as [string, { url?: string; headers?: Record<string, string> }][]
  const headers = named.flatMap(([name, { headers = {} }]) =>
    Object.keys(headers).length > 0 ? [[name, headers] as const] : [],
  )
  const masked = (values: object) => Object.fromEntries(Object.keys(values).map(name => [name, hidden]))
  const servers = Object.fromEntries(
    named.map(([name, { url, headers }]) => {
      if (url === undefined) return [name, {}]
      return [name, headers === undefined ? { url } : { url, headers: masked(headers) }]
    }),
  )
  return {
    shown: at.length > 0 ? { mcpServers: servers } : servers,
    headers: Object.fromEntries(headers),
  }
}

/** The servers of a stored config. Throws McpFailure for a server that the operator has removed since. */
export const serversOf = (
  config: Fields | null | undefined,
  headers: McpHeaders,
  configured: ReadonlyMap<string, McpServer>,
): McpServer[] => {
  if (config === undefined || config === null) return []
  return entriesOf(config).entries.map(([name, entry]): McpServer => {
    const { url } = entry as { url?: string }
    const own = Object.hasOwn(headers, name) ? headers[name] : undefined
    if (url !== undefined) return { name, url, headers: own ?? {}, fromCaller: true }
    const known = configured.get(name)
    if (known === undefined) throw new McpFailure(name, 'is not configured here any more')
    return known
  })
}
