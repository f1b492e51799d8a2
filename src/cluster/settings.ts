// The settings of a node of a cluster, from the environment.
import { hostname } from 'node:os'
import { type NatsSettings, natsOf } from '../bus/nats-settings.ts'
import { CannotStart } from '../contract/cannot-start.ts'

export type ClusterSettings = Readonly<{
  /** The name of this node, which no other node has. */
  node: string
  /** Where other nodes reach this one; undefined: at HOST and PORT. */
  url: string | undefined
  /** The file of the key that all nodes share. */
  keyFile: string
  /** The servers of the shared log. */
  nats: NatsSettings
  /** Milliseconds for which a start waits for these servers. */
  waitMs: number
}>

type Env = Record<string, string | undefined>

/** Part of a signed header, so it has no spaces. */
const nameForm = /^[\w.-]{1,64}$/
const longestWait = 86_400

const nameOf = (given: string | undefined): string => {
  const name = given || hostname()
  if (nameForm.test(name)) return name
  throw new CannotStart(
    `NODE_NAME=${name} is no name of a node: use up to 64 letters, digits, dots, dashes and underscores`,
  )
}

const urlOf = (given: string | undefined): string | undefined => {
  if (!given) return undefined
  const url = URL.canParse(given) ? new URL(given) : undefined
  const isPlain = url !== undefined && /^https?:$/.test(url.protocol) && url.pathname === '/' && !url.search
  if (url === undefined || !isPlain || url.username || url.password)
    throw new CannotStart(`NODE_URL=${given} is no URL of a server, such as http://10.0.0.5:8080`)
  return url.origin
}

const waitOf = (given: string | undefined): number => {
  const seconds = Number(given || 60)
  if (!Number.isInteger(seconds) || seconds < 0 || seconds > longestWait)
    throw new CannotStart(`CLUSTER_WAIT_SECONDS=${given} is not a whole number from 0 to ${longestWait}`)
  return seconds * 1000
}

/** Undefined: this server is no node of a cluster. Throws CannotStart. */
export const clusterOf = (env: Env): ClusterSettings | undefined => {
  const given = env.CLUSTER || '0'
  if (given !== '0' && given !== '1') throw new CannotStart(`CLUSTER=${given} is neither 0 nor 1`)
  if (given === '0') return undefined
  const nats = natsOf({ ...env, NATS_URL: env.CLUSTER_NATS_URL || env.NATS_URL })
  if (nats === undefined || natsOf(env) === undefined)
    throw new CannotStart('CLUSTER=1 needs NATS: set NATS_URL to the NATS servers of the cluster')
  if (!env.CLUSTER_KEY_FILE)
    throw new CannotStart(
      'CLUSTER=1 needs the key of the cluster: set CLUSTER_KEY_FILE to the file that reprise cluster init has made',
    )
  return Object.freeze({
    node: nameOf(env.NODE_NAME),
    url: urlOf(env.NODE_URL),
    keyFile: env.CLUSTER_KEY_FILE,
    nats,
    waitMs: waitOf(env.CLUSTER_WAIT_SECONDS),
  })
}
