// reprise token: makes, lists and revokes tokens. It asks a server or, if there is none, opens the data folder.
import type { Reprise } from '../../../library/client/index.ts'
import { readConfig } from '../../config.ts'
import { CannotStart } from '../../contract/cannot-start.ts'
import { type Role, roles } from '../../contract/events/token-events.ts'
import type { List } from '../../contract/wire/list.ts'
import { type Folder, openFolder } from '../../shard/opening/open-folder.ts'
import { mustHaveLog } from '../log/folder.ts'
import { called } from '../terminal/called.ts'
import { NoAnswer } from '../terminal/exit.ts'
import { createReport } from '../terminal/report.ts'
import { type Asking, perPage, print, printAll, printJson } from './ask.ts'
import { findServer, givenAddress } from './connection.ts'

/** `expires_at`: seconds since 1970; null: the token never expires. */
type TokenLine = {
  id: string
  role: string
  name: string | null
  user_id: string | null
  expires_at: number | null
  last_used_at: number | null
}
/** The longest time until a token expires: ten years in seconds, as over HTTP. */
const longestTtl = 315_360_000

/** The most characters of a name, as over HTTP. */
const longestName = 100

const by = { principal: 'admin', causation: 'command line' }

const tokens = '/v1/auth/tokens'

async function* tokensOf(client: Reprise): AsyncGenerator<TokenLine> {
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const query: object = { limit: perPage, cursor }
    const page: List<TokenLine> = await client.request<List<TokenLine>>({
      method: 'GET',
      path: tokens,
      query,
    })
    yield* page.data
    cursor = page.next_cursor
  }
}

const withFolder = async <T>(use: (folder: Folder) => Promise<T>): Promise<T> => {
  const config = readConfig(process.env)
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

export const createToken = async (
  options: Asking & { role: string; name?: string; userId?: string; ttl?: string },
): Promise<void> => {
  const role = roles.find(known => known === options.role) as Role | undefined
  if (role === undefined) throw new CannotStart(`--role ${options.role} is none of ${roles.join(', ')}`)
  const ttl = options.ttl === undefined ? undefined : Number(options.ttl)
  if (ttl !== undefined && (!Number.isInteger(ttl) || ttl < 1 || ttl > longestTtl)) {
    throw new CannotStart(`--ttl ${options.ttl} is not a number of seconds from 1 to ${longestTtl}`)
  }
  if (options.name !== undefined && (options.name === '' || options.name.length > longestName))
    throw new CannotStart(`--name must have 1 to ${longestName} characters`)
  const [name, user_id] = [options.name ?? null, options.userId ?? null]
  const server = findServer(options)
  const created: { id: string; token: string } =
    server === undefined
      ? await withFolder(async ({ principals }) => {
          const request = { role, name: options.name, userId: options.userId, ttlSeconds: ttl }
          const { id, token, expires_at } = await principals.create(request, by)
          return { id, token, role, name, user_id, expires_at: seconds(expires_at) }
        })
      : await server.ask(client =>
          client.request({ method: 'POST', path: tokens, body: { role, name, user_id, ttl: ttl ?? null } }),
        )
  process.stderr.write(`${role} token ${created.id}: the token itself is not shown again\n`)
  if (options.json) printJson(created)
  else print(created.token)
}

const lineOf = ({ id, role, name, user_id, expires_at }: TokenLine): string => {
  const until = expires_at === null ? 'never expires' : `expires ${new Date(expires_at * 1000).toISOString()}`
  return [id, role.padEnd(10), user_id ?? '(all users)', until, ...(name === null ? [] : [name])].join('  ')
}

export const listTokens = async (options: Asking): Promise<void> => {
  async function* ofFolder() {
    yield* await withFolder(async ({ principals }) =>
      principals.list().map(row => ({ ...row, expires_at: seconds(row.expires_at), last_used_at: null })),
    )
  }
  async function* shown(rows: AsyncIterable<TokenLine>) {
    for await (const { id, role, name, user_id, expires_at, last_used_at } of rows)
      yield { id, role, name, user_id, expires_at, last_used_at }
  }
  const printed = (rows: AsyncIterable<TokenLine>) =>
    printAll(shown(rows), options, lineOf, `No tokens yet. ${called} token create makes one.`)
  const server = findServer(options)
  await (server === undefined ? printed(ofFolder()) : server.ask(client => printed(tokensOf(client))))
}

export const revokeToken = async (idOrToken: string, options: Asking): Promise<void> => {
  // The address of the request contains this word, and a proxy on the way may log addresses.
  if (idOrToken.startsWith('rp_') && givenAddress(options) !== undefined)
    throw new CannotStart(`a server elsewhere is told the id of a token: ${called} token list shows the ids`)
  const server = findServer(options)
  const path = `${tokens}/${encodeURIComponent(idOrToken)}`
  const { id } =
    server === undefined
      ? await withFolder(async ({ principals }) => {
          const row = principals.find(idOrToken)
          if (row === undefined) throw new NoAnswer('no such token')
          await principals.revoke(row, by)
          return row
        })
      : await server.ask(client => client.request<{ id: string }>({ method: 'DELETE', path }))
  if (options.json) printJson({ revoked: id })
  process.stderr.write('revoked\n')
}
