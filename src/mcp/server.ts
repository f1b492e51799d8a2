// An MCP server as a task uses it: a process that this server starts, or an address on the network.
import { validateHeaderName, validateHeaderValue } from 'node:http'
import { asTexts } from '../contract/variables.ts'

type Process = {
  command: string
  args: string[]
  env: Record<string, string>
  /** Names of the caller's variables that the process gets; they override `env`. */
  envFrom?: string[]
  cwd?: string
}
type Place = {
  url: string
  headers: Record<string, string>
  /** A caller gave the URL, so it may only lead to public addresses. */
  fromCaller: boolean
}
export type McpServer = { name: string } & (Process | Place)

/** The server with a caller's variables: a process gets those that the operator lists, and no others. */
export const withVariables = (server: McpServer, variables: object): McpServer => {
  if (!('command' in server) || server.envFrom === undefined) return server
  const allowed = Object.entries(asTexts(variables)).filter(([name]) => server.envFrom?.includes(name))
  return allowed.length === 0 ? server : { ...server, env: { ...server.env, ...Object.fromEntries(allowed) } }
}

/** Whether this is an http or https URL without a user name and a password. A password would be visible in the URL. */
export const isServerUrl = (text: string): boolean => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  return url !== undefined && /^https?:$/.test(url.protocol) && url.username === '' && url.password === ''
}

/** Whether this is a valid HTTP header. */
export const isHeader = (name: string, value: string): boolean => {
  try {
    validateHeaderName(name)
    validateHeaderValue(name, value)
    return true
  } catch {
    return false
  }
}

/** The secret values of a server, the longest first. Short values do not count: they appear in many other texts. */
const secretsOf = (server: McpServer): string[] => {
  const values = Object.values('url' in server ? server.headers : server.env)
  const parts = values.flatMap(value => [value, ...value.split(/\s+/)])
  return [...new Set(parts)].filter(part => part.length >= 6).sort((a, b) => b.length - a.length)
}

/** A text with the configured secrets of the server masked. */
export const withoutSecrets = (server: McpServer, text: string): string =>
  secretsOf(server).reduce((masked, secret) => masked.replaceAll(secret, '***'), text)

/** Whether one of the texts of a JSON value, or one of its names, has a secret of the server in it. */
export const showsSecret = (server: McpServer, value: unknown): boolean => {
  if (typeof value === 'string') return withoutSecrets(server, value) !== value
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(value).some(
    ([name, inner]) => showsSecret(server, name) || showsSecret(server, inner),
  )
}
