// reprise token: makes, lists and revokes tokens. It asks the running server or, if there is none, opens the data
// folder.
import { type Config, readConfig } from '../../config.ts'
import { CannotStart } from '../../contract/cannot-start.ts'
import { type Role, roles } from '../../contract/events/token-events.ts'
import type { List } from '../../contract/wire/list.ts'
import { type Folder, openFolder } from '../../shard/opening/open-folder.ts'
import { mustHaveLog } from '../log/folder.ts'
import { NoAnswer } from '../terminal/exit.ts'
import { createReport } from '../terminal/report.ts'
import { entriesOf } from './ask.ts'
import { askServer, urlOfServer } from './server.ts'

/** `expires_at`: seconds since 1970; null: the token never expires. */
type TokenLine = {
  id: string
  role: string
  name: string | null
  user_id: string | null
  expires_at: number | null
  last_used_at: number | null
}
type Options = { json?: true }

/** The longest time until a token expires: ten years in seconds, as over HTTP. */
const longestTtl = 315_360_000

/** The most characters of a name, as over HTTP. */
const longestName = 100

const by = { principal: 'admin', causation: 'command line' }

const askAt = async (config: Config, url: string, method: string, path: string, body?: object) => {
  const sent = body === undefined ? {} : { body }
  const answer = await askServer(config, url, method, `/v1/auth/tokens${path}`, sent)
  return (await answer.json()) as unknown
}

/** Sends the request to the running server. Resolves to its answer, or to undefined when no server runs. */
const askTokens = async (config: Config, method: string, path: string, body?: object) => {
  const url = urlOfServer(config)
  if (url === undefined) return undefined
  return (await askAt(config, url, method, path, body)) as Record<string, unknown>
}

/** The tokens that the running server lists; undefined when no server runs. */
const tokensOfServer = async (config: Config): Promise<TokenLine[] | undefined> => {
  const url = urlOfServer(config)
  if (url === undefined) return undefined
  const read = async (query: string) => (await askAt(config, url, 'GET', query)) as List<TokenLine>
  const tokens: TokenLine[] = []
  for await (const token of entriesOf(read)) tokens.push(token)
  return tokens
}

const withFolder = async <T>(config: Config, use: (folder: Folder) => Promise<T>): Promise<T> => {
  mustHaveLog(config)
  const folder = await openFolder(config, createReport(config.logLevel), { idle: true })
  try {
    return await use(folder)
  } finally {
    await folder.system.close()
    await folder.children.close()
    folder.unlock()
  }
}

const seconds = (millis: number | null | undefined): number | null =>
  millis === null || millis === undefined ? null : Math.floor(millis / 1000)

const print = (line: string): void => void process.stdout.write(`${line}\n`)

export const createToken = async (
  options: Options & { role: string; name?: string; userId?: string; ttl?: string },
): Promise<void> => {
  const role = roles.find(known => known === options.role) as Role | undefined
  if (role === undefined) throw new CannotStart(`--role ${options.role} is none of ${roles.join(', ')}`)
  const ttl = options.ttl === undefined ? undefined : Number(options.ttl)
  if (ttl !== undefined && (!Number.isInteger(ttl) || ttl < 1 || ttl > longestTtl)) {
    throw new CannotStart(`--ttl ${options.ttl} is not a number of seconds from 1 to ${longestTtl}`)
  }
  if (options.name !== undefined && (options.name === '' || options.name.length > longestName))
    throw new CannotStart(`--name must have 1 to ${longestName} characters`)
  const config = readConfig(process.env)
  const [name, user_id] = [options.name ?? null, options.userId ?? null]
  const created =
    (await askTokens(config, 'POST', '', { role, name, user_id, ttl: ttl ?? null })) ??
    (await withFolder(config, async ({ principals }) => {
      const request = { role, name: options.name, userId: options.userId, ttlSeconds: ttl }
      const { id, token, expires_at } = await principals.create(request, by)
      return { id, token, role, name, user_id, expires_at: seconds(expires_at) }
    }))
  process.stderr.write(`${role} token ${String(created.id)}: the token itself is not shown again\n`)
  print(options.json ? JSON.stringify(created) : String(created.token))
}

export const listTokens = async (options: Options): Promise<void> => {
  const config = readConfig(process.env)
  const rows =
    (await tokensOfServer(config)) ??
    (await withFolder(config, async ({ principals }) =>
      principals.list().map(row => ({ ...row, expires_at: seconds(row.expires_at), last_used_at: null })),
    ))
  for (const { id, role, name, user_id, expires_at, last_used_at } of rows) {
    const until =
      expires_at === null ? 'never expires' : `expires ${new Date(expires_at * 1000).toISOString()}`
    print(
      options.json
        ? JSON.stringify({ id, role, name, user_id, expires_at, last_used_at })
        : [id, role.padEnd(10), user_id ?? '(all users)', until, ...(name === null ? [] : [name])].join('  '),
    )
  }
}

export const revokeToken = async (idOrToken: string, options: Options): Promise<void> => {
  const config = readConfig(process.env)
  const answer = await askTokens(config, 'DELETE', `/${encodeURIComponent(idOrToken)}`)
  const id =
    answer?.id ??
    (await withFolder(config, async ({ principals }) => {
      const row = principals.find(idOrToken)
      if (row === undefined) throw new NoAnswer('no such token')
      await principals.revoke(row, by)
      return row.id
    }))
  if (options.json) print(JSON.stringify({ revoked: id }))
  process.stderr.write('revoked\n')
}
