// reprise token: through the running server when there is one, else on the data folder itself.
import { type Config, readConfig } from '../config.ts'
import { CannotStart } from '../contract/cannot-start.ts'
import { type Role, roles } from '../contract/token-events.ts'
import { openFolder } from '../main.ts'
import { NoAnswer } from './exit.ts'
import { createReport } from './report.ts'
import { askServer, urlOfServer } from './server.ts'

type TokenLine = { id: string; role: string; user_id: string | null; expires_at: number | null }

/** Ten years, as over HTTP. */
const longestTtl = 315_360_000

const by = { principal: 'admin', causation: 'command line' }

/** Asks the running server; undefined when there is none. */
const askTokens = async (config: Config, method: string, path: string, body?: object) => {
  const url = urlOfServer(config)
  if (url === undefined) return undefined
  const wish = body === undefined ? {} : { body }
  const answer = await askServer(config, url, method, `/v1/auth/tokens${path}`, wish)
  return (await answer.json()) as Record<string, unknown>
}

const withFolder = async <T>(
  config: Config,
  use: (folder: Awaited<ReturnType<typeof openFolder>>) => Promise<T>,
): Promise<T> => {
  const folder = await openFolder(config, createReport(config.logLevel), { idle: true })
  try {
    return await use(folder)
  } finally {
    await folder.system.close()
    folder.unlock()
  }
}

export const createToken = async (options: {
  role: string
  userId?: string
  ttl?: string
}): Promise<void> => {
  const role = roles.find(known => known === options.role) as Role | undefined
  if (role === undefined) throw new CannotStart(`--role ${options.role} is none of ${roles.join(', ')}`)
  const ttl = options.ttl === undefined ? undefined : Number(options.ttl)
  if (ttl !== undefined && (!Number.isInteger(ttl) || ttl < 1 || ttl > longestTtl)) {
    throw new CannotStart(`--ttl ${options.ttl} is not a number of seconds from 1 to ${longestTtl}`)
  }
  const config = readConfig(process.env)
  const wish = { role, user_id: options.userId ?? null, ttl: ttl ?? null }
  const answer =
    (await askTokens(config, 'POST', '', wish)) ??
    (await withFolder(config, ({ principals }) =>
      principals.create({ role, userId: options.userId, ttlSeconds: ttl }, by),
    ))
  process.stderr.write(`${role} token ${String(answer.id)}; it is shown only now\n`)
  process.stdout.write(`${String(answer.token)}\n`)
}

export const listTokens = async (): Promise<void> => {
  const config = readConfig(process.env)
  const answer = await askTokens(config, 'GET', '')
  const rows =
    answer === undefined
      ? await withFolder(config, async ({ principals }) =>
          principals.list().map(row => ({
            ...row,
            expires_at: row.expires_at === null ? null : Math.floor(row.expires_at / 1000),
          })),
        )
      : (answer.tokens as TokenLine[])
  for (const { id, role, user_id, expires_at } of rows) {
    const until =
      expires_at === null ? 'never expires' : `expires ${new Date(expires_at * 1000).toISOString()}`
    process.stdout.write(`${id}  ${role.padEnd(10)}  ${user_id ?? '(all users)'}  ${until}\n`)
  }
}

export const revokeToken = async (idOrToken: string): Promise<void> => {
  const config = readConfig(process.env)
  const answer = await askTokens(config, 'DELETE', `/${encodeURIComponent(idOrToken)}`)
  if (answer === undefined) {
    await withFolder(config, async ({ principals }) => {
      const row = principals.find(idOrToken)
      if (row === undefined) throw new NoAnswer('no such token')
      await principals.revoke(row, by)
    })
  }
  process.stderr.write('revoked\n')
}
