// An MCP server as a task uses it: a process that we start, or a place on the net.
import { validateHeaderName, validateHeaderValue } from 'node:http'
import { asTexts } from '../contract/variables.ts'

type Process = {
  command: string
  args: string[]
  env: Record<string, string>
  /** Names of the caller's variables that the process is given, over `env`. */
  envFrom?: string[]
  cwd?: string
}
type Place = {
  url: string
  headers: Record<string, string>
  /** A caller gave the URL, and may only lead us where everybody can go. */
  fromCaller: boolean
}
export type McpServer = { name: string } & (Process | Place)

/** The server as a caller with these variables uses it: a process gets those that the operator lists, and no others. */
export const withVariables = (server: McpServer, variables: object): McpServer => {
  if (!('command' in server) || server.envFrom === undefined) return server
  const given = Object.entries(asTexts(variables)).filter(([name]) => server.envFrom?.includes(name))
  return given.length === 0 ? server : { ...server, env: { ...server.env, ...Object.fromEntries(given) } }
}

/** http or https; a user name or password in it would be a secret in the open. */
export const isServerUrl = (text: string): boolean => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  return url !== undefined && /^https?:$/.test(url.protocol) && url.username === '' && url.password === ''
}

/** Whether this can be sent as a header. */
export const isHeader = (name: string, value: string): boolean => {
  try {
    validateHeaderName(name)
    validateHeaderValue(name, value)
    return true
  } catch {
    return false
  }
}

/** Its values that nobody may be told, the longest first; short words stand everywhere and are no secrets. */
const secretsOf = (server: McpServer): string[] => {
  const values = Object.values('url' in server ? server.headers : server.env)
  const parts = values.flatMap(value => [value, ...value.split(/\s+/)])
  return [...new Set(parts)].filter(part => part.length >= 6).sort((a, b) => b.length - a.length)
}

/** A text without what the server was configured with in confidence. */
export const withoutSecrets = (server: McpServer, text: string): string =>
  secretsOf(server).reduce((told, secret) => told.replaceAll(secret, '***'), text)
