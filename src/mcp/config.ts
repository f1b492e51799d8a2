// Reads the operator's MCP servers from the file MCP_CONFIG, in the usual format of MCP clients. `${NAME}` in a value
// stands for an environment variable, `${NAME:-default}` for one with a default.
import { readFileSync } from 'node:fs'
import { CannotStart } from '../contract/cannot-start.ts'
import { isLoaderVariable } from '../contract/variables.ts'
import { isHeader, isServerUrl, type McpServer } from './server.ts'

type Env = Record<string, string | undefined>
type Fields = Record<string, unknown>

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const parsed = (file: string): unknown => {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    throw new CannotStart(`MCP_CONFIG=${file} cannot be read: ${(error as Error).message}`)
  }
  try {
    return JSON.parse(text)
  } catch {
    // The parser's error message quotes the file, which may contain a key.
    throw new CannotStart(`MCP_CONFIG=${file} is not JSON`)
  }
}

/**
 * The servers of a file, by name. If `file` is undefined, there are none. Throws CannotStart with one line that names
 * the file and the server.
 */
export const readMcpConfig = (file: string | undefined, env: Env): ReadonlyMap<string, McpServer> => {
  if (file === undefined) return new Map()
  const content = parsed(file)
  const servers = isFields(content) ? content.mcpServers : undefined
  if (!isFields(servers)) throw new CannotStart(`MCP_CONFIG=${file} has no object "mcpServers"`)
  return new Map(Object.entries(servers).map(([name, entry]) => [name, serverOf(file, name, entry, env)]))
}

const serverOf = (file: string, name: string, entry: unknown, env: Env): McpServer => {
  const wrong = (what: string) => new CannotStart(`MCP_CONFIG=${file}: server "${name}": ${what}`)
  if (!isFields(entry)) throw wrong('an object is needed')
  const filled = (text: string): string =>
    text.replace(/\$\{(\w+)(?::-([^}]*))?\}/g, (_, variable: string, otherwise?: string) => {
      const value = env[variable] || (otherwise ?? env[variable])
      if (value === undefined) throw wrong(`the environment has no ${variable}`)
      return value
    })
  const text = (key: string): string => {
    const value = entry[key]
    if (typeof value !== 'string' || value === '') throw wrong(`"${key}" must be a text`)
    return filled(value)
  }
  const texts = (key: string): Record<string, string> => {
    const values = entry[key] ?? {}
    if (!isFields(values)) throw wrong(`"${key}" must be an object of texts`)
    return Object.fromEntries(
      Object.entries(values).map(([inner, value]) => {
        if (typeof value !== 'string') throw wrong(`"${key}.${inner}" must be a text`)
        return [inner, filled(value)]
      }),
    )
  }

  if (entry.type === 'sse')
    throw wrong('the transport "sse" is not supported any more: give the URL of a Streamable HTTP server')
  if (entry.url !== undefined) {
    const [url, headers] = [text('url'), texts('headers')]
    if (!isServerUrl(url)) throw wrong('"url" must be an http or https URL without a user name')
    const odd = Object.entries(headers).find(([header, value]) => !isHeader(header, value))
    if (odd !== undefined) throw wrong(`"headers.${odd[0]}" cannot be sent as a header`)
    return { name, url, headers, fromCaller: false }
  }
  if (entry.command === undefined) throw wrong('"command" or "url" is needed')
  const args = entry.args ?? []
  if (!Array.isArray(args) || !args.every(arg => typeof arg === 'string'))
    throw wrong('"args" must be a list of texts')
  return {
    name,
    command: text('command'),
    args: args.map(filled),
    env: texts('env'),
    ...(entry.env_from === undefined ? {} : { envFrom: namesIn(entry.env_from, wrong) }),
    ...(entry.cwd === undefined ? {} : { cwd: text('cwd') }),
  }
}

/** Names of variables that callers may set for a process. */
const namesIn = (names: unknown, wrong: (what: string) => CannotStart): string[] => {
  const isName = (name: unknown): name is string => typeof name === 'string' && /^[^=\0]+$/.test(name)
  if (!Array.isArray(names) || !names.every(isName))
    throw wrong('"env_from" must be a list of names of variables')
  const loader = names.find(isLoaderVariable)
  if (loader !== undefined) {
    throw wrong(`"env_from" may not name ${loader}: it decides which code the program runs. Set it in "env"`)
  }
  return names
}
