// Asks the nodes of a cluster about themselves, for an operator. Every node that another node names is asked, too.
import { type Ask, NodeRefused } from './gateway/ask-node.ts'
import { type Standby, statusPath } from './gateway/node-routes.ts'
import type { SeenNode } from './seen-nodes.ts'

/** What is wrong with a node, in its own words. `since`: ISO 8601. */
export type ToldCondition = { code: string; message: string; since: string }

/** The answer of a node to `GET /cluster/status`. */
export type NodeStatus = {
  node: string
  url: string
  role: 'owner' | 'standby'
  /** The name of the owner; null: this node knows none. */
  owner: string | null
  /** Whether this node owns the log, or could take over. */
  ready: boolean
  conditions: ToldCondition[]
  /** The id of the log of this node. */
  log_id: string
  /** The last record of the shared log that this node has read, and the last position up to that record. */
  sequence: number
  position: number
  /** How many events its log has: more than `position` while it has events that the shared log lacks. */
  events: number
  /** By how many positions the read models of this node are behind. */
  lag: number
  version: string
  /** The time of day at this node, in Unix milliseconds. */
  time: number
  /** The nodes that this node has seen or heard of, with the last sign of each. */
  nodes: SeenNode[]
  /** Nodes that have asked this one for keys. */
  standbys?: Pick<Standby, 'node' | 'url'>[]
}

/**
 * What answers at a URL. `answers`: a node of this cluster. `refuses`: a node that does not accept the signature of this
 * command. `foreign`: something else. `away`: nothing.
 */
type State = 'answers' | 'refuses' | 'foreign' | 'away'
export type Surveyed = {
  url: string
  state: State
  /** The name of the node; absent: nobody knows it. */
  node?: string
  /** Why the node does not answer. */
  why?: string
  /** Unix milliseconds of the last sign of it; 0: nobody remembers one; absent: unknown. */
  seenAt?: number
  /** Whether it answers 200 at `/readyz`. */
  ready?: boolean
  /** What fails at the owner: its log, or its read models. */
  fails?: string
  conditions: ToldCondition[]
  /** By how many milliseconds the clock of the node is ahead of that of this machine. */
  clockMs?: number
} & Partial<Pick<NodeStatus, 'role' | 'owner' | 'log_id' | 'sequence' | 'position' | 'lag' | 'version'>>

type Deps = { ask: Ask; now(): number }

/** Milliseconds for an answer at `/readyz`. */
const patienceMs = 2000
/** Signatures of requests hold for clocks that differ by less than this many milliseconds. */
const clocksMs = 30_000

const reasonOf = (error: unknown): string => {
  const { name, message, cause } = error as Error & { cause?: { message?: string; code?: string } }
  if (name === 'TimeoutError') return `no answer within ${patienceMs / 1000} s`
  return cause?.message || cause?.code || message
}

type Readiness = {
  ready: boolean
  /** The time of day at the server, to the second. */
  date: number
  cluster?: Pick<NodeStatus, 'node' | 'role' | 'owner' | 'conditions'>
  position?: number
  fails?: string
}

/** What an owner says of its parts at `/readyz`. */
type Parts = { log?: string; read_models?: string }

const failsOf = ({ log, read_models: models }: Parts): { fails?: string } => {
  if (log === 'failing') return { fails: 'it cannot write the log' }
  return models === 'behind' ? { fails: 'its read models are behind the log' } : {}
}

/** What the server at this URL says to everybody; undefined: it does not answer. */
const readinessAt = async (url: string): Promise<Readiness | undefined> => {
  try {
    const answer = await fetch(`${url}/readyz`, {
      signal: AbortSignal.timeout(patienceMs),
      redirect: 'error',
    })
    const text = await answer.text()
    const said = { ready: answer.status === 200, date: Date.parse(answer.headers.get('date') ?? '') }
    try {
      const { cluster, position, ...parts } = JSON.parse(text) as Partial<Readiness> & Parts
      if (cluster?.node === undefined) return said
      return { ...said, cluster, ...(position ? { position } : {}), ...failsOf(parts) }
    } catch {
      return said
    }
  } catch {
    return undefined
  }
}

const secondsOf = (ms: number): string => `${Math.round(Math.abs(ms) / 1000)} s`

/** Why a node has not given its status: `error` says how the question ended. */
const whyNot = (error: unknown, clockMs: number): string => {
  if (!(error instanceof NodeRefused)) return reasonOf(error)
  return Math.abs(clockMs) > clocksMs
    ? `its clock differs from that of this machine by ${secondsOf(clockMs)}, so it refuses this command: set the clocks`
    : 'it refuses this command: CLUSTER_KEY_FILE is not the key with which the node runs'
}

/** A node that did not accept the signature, or a server that is no node of this cluster. */
const refused = (url: string, error: unknown, said: Readiness | undefined, clockMs: number): Surveyed => {
  if (said?.cluster === undefined) {
    const why = 'the server there is no node of this cluster: give the URL of a node'
    return { url, state: 'foreign', conditions: [], why }
  }
  const { node, role, owner, conditions = [] } = said.cluster
  return {
    ...{ url, state: 'refuses', node, role, owner, conditions, ready: said.ready },
    ...(said.position === undefined ? {} : { position: said.position }),
    ...(Number.isNaN(clockMs) ? {} : { clockMs }),
    why: whyNot(error, clockMs),
  }
}

/** Where to ask. `node`: the name of the node that has been there. */
export type Place = { url: string; node?: string | undefined }
type Found = { status?: NodeStatus; surveyed: Surveyed }

const partOf = (said: Readiness | undefined): { fails?: string } =>
  said?.fails === undefined ? {} : { fails: said.fails }

const askAt = async ({ ask, now }: Deps, url: string): Promise<Found> => {
  const begun = now()
  const readiness = readinessAt(url)
  try {
    const { bytes } = await ask(url, { method: 'GET', path: statusPath })
    const middle = (begun + now()) / 2
    const status = JSON.parse(bytes.toString()) as NodeStatus
    const { role, owner, log_id, sequence, position, lag, version, conditions = [] } = status
    const surveyed: Surveyed = {
      ...{ url: status.url, state: 'answers', node: status.node, role, owner, conditions },
      ...{ log_id, sequence, position, lag, version, clockMs: status.time - middle, seenAt: now() },
      ready: (await readiness)?.ready ?? status.ready,
      ...partOf(await readiness),
    }
    return { status, surveyed }
  } catch (error) {
    const said = await readiness
    if (said === undefined && !(error instanceof NodeRefused))
      return { surveyed: { url, state: 'away', conditions: [], why: reasonOf(error) } }
    return { surveyed: refused(url, error, said, (said?.date ?? Number.NaN) - now()) }
  }
}

const better: State[] = ['answers', 'refuses', 'foreign', 'away']

/** What was told last of each node. */
const newest = (told: readonly SeenNode[]): SeenNode[] => {
  const last = new Map<string, SeenNode>()
  for (const one of told) if ((last.get(one.node)?.seenAt ?? -1) < one.seenAt) last.set(one.node, one)
  return [...last.values()]
}

/** Adds what others have told about nodes that do not answer themselves: their names, and the last signs of them. */
const withTold = (found: Surveyed[], told: Iterable<SeenNode>): Surveyed[] => {
  const all = [...found]
  for (const { node, url, seenAt } of told) {
    const there = all.find(one => one.node === node)
    if (there !== undefined) {
      if (there.state !== 'answers') there.seenAt = Math.max(seenAt, there.seenAt ?? 0)
      continue
    }
    const at = all.find(one => one.url === url)
    if (at?.state === 'away' && at.node === undefined) Object.assign(at, { node, seenAt })
    else {
      const why = at?.node === undefined ? (at?.why ?? 'not asked') : `the node ${at.node} answers at its URL`
      all.push({ url, node, seenAt, state: 'away', conditions: [], why })
    }
  }
  return all
}

/** Asks at these places, and the nodes that are named there. `told`: nodes that are known already. Never rejects. */
export const survey = async (
  deps: Deps,
  places: readonly Place[],
  told: readonly SeenNode[],
): Promise<Surveyed[]> => {
  const asked = new Set<string>()
  const found = new Map<string, Surveyed>()
  const named = [...told]
  const nameAt = new Map(places.map(({ url, node }) => [url, node]))
  let waiting = [...nameAt.keys(), ...told.map(({ url }) => url)]
  while (waiting.length > 0) {
    const round = [...new Set(waiting)].filter(url => !asked.has(url))
    for (const url of round) asked.add(url)
    waiting = []
    for (const { status, surveyed } of await Promise.all(round.map(url => askAt(deps, url)))) {
      const node = surveyed.node ?? (surveyed.state === 'away' ? nameAt.get(surveyed.url) : undefined)
      if (node !== undefined) surveyed.node = node
      const name = node ?? surveyed.url // a node can be reached at more than one URL
      const before = found.get(name)
      if (before === undefined || better.indexOf(surveyed.state) < better.indexOf(before.state))
        found.set(name, surveyed)
      if (status === undefined) continue
      asked.add(status.url)
      named.push(...(status.nodes ?? []))
      waiting.push(...[...(status.nodes ?? []), ...(status.standbys ?? [])].map(({ url }) => url))
    }
  }
  const nameOf = ({ node, url }: Surveyed): string => node ?? url
  const isShown = ({ node, url, state }: Surveyed): boolean =>
    node !== undefined || state !== 'away' || nameAt.has(url) // not an old URL of a node
  const all = withTold([...found.values()], newest(named)).filter(isShown)
  return all.sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))
}
