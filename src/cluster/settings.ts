// Reads the settings of a node of a cluster from environment variables.
import { hostname } from 'node:os'
import path from 'node:path'
import { type NatsSettings, natsOf } from '../bus/nats/nats-settings.ts'
import { CannotStart } from '../contract/cannot-start.ts'

export type ClusterSettings = Readonly<{
  /** The name of this node, which no other node of the cluster has. */
  node: string
  /** The URL at which other nodes reach this node, without a slash at the end. */
  url: string
  /** The file of the cluster key. */
  keyFile: string
  /** The servers of the shared log. */
  nats: NatsSettings
  /** The monitoring addresses of these servers, without a slash at the end. */
  monitorUrls: readonly string[]
  /** Whether this node runs with servers that may lose confirmed records when most of them lose power. */
  acceptsUnsynced: boolean
  /** A start waits for these servers for at most this many milliseconds. */
  waitMs: number
}>

type Env = Record<string, string | undefined>

const logins = ['NATS_USER', 'NATS_PASSWORD', 'NATS_TOKEN', 'NATS_CREDS']

const secondsOf = (env: Env, name: string, fallback: number): number => {
  const given = env[name] || String(fallback)
  if (/^\d{1,5}$/.test(given) && Number(given) > 0) return Number(given)
  throw new CannotStart(`${name}=${given} is not a whole number from 1 to 99999`)
}

const nodeOf = (env: Env): string => {
  const name = env.NODE_NAME || hostname()
  if (/^[\w.-]{1,64}$/.test(name)) return name
  throw new CannotStart(
    `${env.NODE_NAME ? 'NODE_NAME' : 'the name of this machine'}=${name} is no name of a node: set NODE_NAME to up to 64 letters, digits, ".", "-" and "_"`,
  )
}

const flagOf = (env: Env, name: string): boolean => {
  const given = env[name] || '0'
  if (given !== '0' && given !== '1') throw new CannotStart(`${name}=${given} is neither 0 nor 1`)
  return given === '1'
}

/** The addresses in NATS_MONITOR_URLS. Throws CannotStart. */
export const monitorUrlsOf = (env: Env): string[] =>
  (env.NATS_MONITOR_URLS ?? '')
    .split(',')
    .map(given => given.trim())
    .filter(given => given !== '')
    .map(given => {
      const url = URL.canParse(given) ? new URL(given) : undefined
      if (url && /^https?:$/.test(url.protocol) && url.username === '' && !url.search)
        return `${url.origin}${url.pathname.replace(/\/+$/, '')}`
      throw new CannotStart(
        `NATS_MONITOR_URLS has ${given.replace(/\/\/[^/]*@/, '//***@')}, which is no monitoring address of a NATS server: set it to http://nats-1:8222, for example`,
      )
    })

/** The URL of a node. Throws CannotStart. */
const urlIn = (given: string): string => {
  const url = URL.canParse(given) ? new URL(given) : undefined
  const isPlain =
    url && /^https?:$/.test(url.protocol) && /^\/?$/.test(url.pathname) && !url.search && !url.hash
  if (isPlain && url.username === '' && url.password === '') return url.origin
  throw new CannotStart(
    `NODE_URL=${given.replace(/\/\/[^/]*@/, '//***@')} is no URL of a node: set it to http://10.0.0.1:8080, for example`,
  )
}

const urlOf = (env: Env): string => {
  if (env.NODE_URL) return urlIn(env.NODE_URL)
  const [host, port] = [env.HOST || '127.0.0.1', env.PORT || '8080']
  const wayOut = 'set NODE_URL to the URL where other nodes reach this one'
  if (/^(0\.0\.0\.0|::|\[::\])$/.test(host))
    throw new CannotStart(`HOST=${host} is no address of one machine: ${wayOut}`)
  if (port === '0') throw new CannotStart(`PORT=0 gives another port with each start: set PORT, or ${wayOut}`)
  return urlIn(`http://${host.includes(':') ? `[${host}]` : host}:${port}`)
}

/**
 * The servers of the shared log: those of CLUSTER_NATS_URL, else those of NATS_URL. A login in CLUSTER_NATS_URL takes
 * precedence over the variables for a login, which are then only for the servers of the public events. Throws
 * CannotStart.
 */
export const clusterNatsOf = (env: Env): NatsSettings => {
  const own = env.CLUSTER_NATS_URL?.trim()
  const name = own ? 'CLUSTER_NATS_URL' : 'NATS_URL'
  const others = own?.includes('@') ? Object.fromEntries(logins.map(variable => [variable, undefined])) : {}
  try {
    const settings = natsOf(own ? { ...env, ...others, NATS_URL: own } : env)
    if (settings !== undefined) return settings
  } catch (error) {
    if (!(error instanceof CannotStart)) throw error
    throw new CannotStart(error.message.replaceAll('NATS_URL', name))
  }
  throw new CannotStart('a cluster needs NATS: set NATS_URL or CLUSTER_NATS_URL to its servers, or CLUSTER=0')
}

/** The file of the cluster key. */
export const clusterKeyFileOf = (env: Env): string =>
  path.resolve(env.CLUSTER_KEY_FILE || path.join(env.DATA_DIR || 'data', 'cluster-key'))

/** Undefined: CLUSTER is 0 or not set, so this server is no node of a cluster. Throws CannotStart. */
export const clusterOf = (env: Env): ClusterSettings | undefined => {
  if (!flagOf(env, 'CLUSTER')) return undefined
  return Object.freeze({
    node: nodeOf(env),
    url: urlOf(env),
    keyFile: clusterKeyFileOf(env),
    nats: clusterNatsOf(env),
    monitorUrls: Object.freeze(monitorUrlsOf(env)),
    acceptsUnsynced: flagOf(env, 'CLUSTER_ACCEPT_UNSYNCED'),
    waitMs: secondsOf(env, 'CLUSTER_WAIT_SECONDS', 60) * 1000,
  })
}
