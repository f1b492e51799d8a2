// The settings of NATS: the servers, the login, and whether NATS is used at all. They come from NATS_URL, and from
// variables with the names that the nats command line uses. Secrets appear neither in errors nor in printed settings.
import { readFileSync } from 'node:fs'
import { CannotStart } from '../../contract/cannot-start.ts'

export type NatsLogin =
  | { by: 'nothing' }
  | { by: 'user'; user: string; password: string }
  | { by: 'token'; token: string }
  /** The file is read again for each connection, so that it can be replaced. */
  | { by: 'credentials'; file: string }

export type NatsSettings = Readonly<{
  /** Each server as `host:port`. */
  servers: readonly string[]
  login: NatsLogin
  /** Undefined: the NATS server decides whether TLS is used. */
  tls: Readonly<{ ca?: string; cert?: string; key?: string }> | undefined
  /** The servers as URLs without a login, which may be shown. */
  shown: string
  /** The number of servers that keep each event, if the NATS servers are a cluster. Absent: one. */
  copies?: number
}>

type Env = Record<string, string | undefined>

const wanted = 'set it to nats://127.0.0.1:4222, for example, or to several servers separated by commas'

const serverIn = (given: string): URL => {
  const text = given.includes('://') ? given : `nats://${given}`
  if (!URL.canParse(text)) throw new CannotStart(`NATS_URL holds something that is no URL: ${wanted}`)
  const url = new URL(text)
  if (!/^(nats|tls):$/.test(url.protocol)) {
    throw new CannotStart(`NATS_URL begins with ${url.protocol}//, and only nats:// and tls:// are possible`)
  }
  if (url.hostname === '' || !/^\/?$/.test(url.pathname) || url.search || url.hash) {
    throw new CannotStart(`NATS_URL holds a URL without a server, or with a path or a query: ${wanted}`)
  }
  return url
}

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new CannotStart('NATS_URL holds a user or a password that is not percent-encoded')
  }
}

const loginIn = ({ username, password }: URL): NatsLogin => {
  if (username === '' && password === '') return { by: 'nothing' }
  if (password === '') return { by: 'token', token: decoded(username) }
  return { by: 'user', user: decoded(username), password: decoded(password) }
}

const fileOf = (env: Env, name: string): string | undefined => {
  const file = env[name]
  if (!file) return undefined
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new CannotStart(`${name}=${file} cannot be read: ${(error as NodeJS.ErrnoException).code}`)
  }
}

const loginOf = (env: Env, urls: URL[]): NatsLogin => {
  const { NATS_USER: user, NATS_PASSWORD: password, NATS_TOKEN: token, NATS_CREDS: file } = env
  const inUrls = urls.map(loginIn).filter(({ by }) => by !== 'nothing')
  if (new Set(inUrls.map(login => JSON.stringify(login))).size > 1) {
    throw new CannotStart('NATS_URL names several users: name the same user for every server')
  }
  const ways: NatsLogin[] = inUrls.slice(0, 1)
  if (Boolean(user) !== Boolean(password)) {
    throw new CannotStart(
      'NATS_USER and NATS_PASSWORD go together, and one of them is not set: set both or neither',
    )
  }
  if (user && password) ways.push({ by: 'user', user, password })
  if (token) ways.push({ by: 'token', token })
  if (file) {
    if (!/BEGIN NATS USER JWT.*BEGIN USER NKEY SEED/s.test(fileOf(env, 'NATS_CREDS') ?? '')) {
      throw new CannotStart(`NATS_CREDS=${file} is no credentials file: it holds no JWT and seed of a user`)
    }
    ways.push({ by: 'credentials', file })
  }
  if (ways.length > 1) {
    throw new CannotStart(
      'more than one of NATS_URL, NATS_USER, NATS_TOKEN and NATS_CREDS says how to log in: keep one of them',
    )
  }
  return ways[0] ?? { by: 'nothing' }
}

const tlsOf = (env: Env, urls: URL[]): NatsSettings['tls'] => {
  const [ca, cert, key] = ['NATS_CA', 'NATS_CERT', 'NATS_KEY'].map(name => fileOf(env, name))
  if ((cert === undefined) !== (key === undefined)) {
    throw new CannotStart(
      'NATS_CERT and NATS_KEY go together, and one of them is not set: set both or neither',
    )
  }
  for (const [name, text] of Object.entries({ NATS_CA: ca, NATS_CERT: cert, NATS_KEY: key })) {
    if (text !== undefined && !text.includes('-----BEGIN '))
      throw new CannotStart(`${name}=${env[name]} is no PEM file`)
  }
  const isWanted = urls.some(({ protocol }) => protocol === 'tls:')
  if (!isWanted && ca === undefined && cert === undefined) return undefined
  return Object.freeze({
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined || key === undefined ? {} : { cert, key }),
  })
}

/** Undefined: NATS_URL is not set, so NATS is not used. Throws CannotStart for an invalid value. */
export const natsOf = (env: Env): NatsSettings | undefined => {
  const given = env.NATS_URL?.trim()
  if (!given) return undefined
  const urls = given
    .split(',')
    .map(server => server.trim())
    .filter(server => server !== '')
    .map(serverIn)
  if (urls.length === 0) throw new CannotStart(`NATS_URL names no server: ${wanted}`)
  return Object.freeze({
    servers: urls.map(({ hostname, port }) => `${hostname}:${port || '4222'}`),
    login: loginOf(env, urls),
    tls: tlsOf(env, urls),
    ...(env.CLUSTER === '1' ? { copies: 3 } : {}),
    shown: urls.map(({ protocol, hostname, port }) => `${protocol}//${hostname}:${port || '4222'}`).join(','),
  })
}
