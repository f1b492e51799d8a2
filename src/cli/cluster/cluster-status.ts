// reprise cluster status: shows the nodes of a cluster and the NATS servers of its log, and says what is wrong.
import type { NatsSettings } from '../../bus/nats/nats-settings.ts'
import type { Beat } from '../../cluster/beat.ts'
import { readClusterKeys } from '../../cluster/cluster-key.ts'
import { createAskNode } from '../../cluster/gateway/ask-node.ts'
import { createHops } from '../../cluster/gateway/hop.ts'
import { lastBeats } from '../../cluster/last-beat.ts'
import { judgementsOf } from '../../cluster/nats/judgements.ts'
import { lookAtServers } from '../../cluster/nats/look-at-servers.ts'
import { readOwnName, readSeenNodes } from '../../cluster/seen-nodes.ts'
import { clusterKeyFileOf, clusterNatsOf, monitorUrlsOf } from '../../cluster/settings.ts'
import { type Place, type Surveyed, survey } from '../../cluster/survey.ts'
import { readConfig } from '../../config.ts'
import { CannotStart } from '../../contract/cannot-start.ts'
import type { Timers } from '../../contract/ports.ts'
import { filesOf } from '../../platform/files/data-folder.ts'
import { realWorld } from '../../platform/world.ts'
import { urlOfServer } from '../server/server.ts'
import { NoAnswer, NotReached } from '../terminal/exit.ts'
import { type Common, openTerminal, plural } from '../terminal/terminal.ts'
import { findingsOf, type Sight } from './cluster-findings.ts'
import { behindOf, linesOf, wrongTitle } from './cluster-lines.ts'

export type Where = { node?: string[] }
type Options = Common & Where & { watch?: true }

/** Milliseconds to wait for the newest beats. */
const beatsMs = 3000
/** Milliseconds between two looks of --watch. */
const watchMs = 2000

/** A URL as nodes write it. Throws CannotStart. */
const originOf = (given: string): string => {
  const url = URL.canParse(given) ? new URL(given) : undefined
  if (url && /^https?:$/.test(url.protocol)) return url.origin
  throw new CannotStart(`--node ${given} is no URL of a node: give http://10.0.0.1:8080, for example`)
}

/** Asks nodes with requests that are signed with the cluster key. Throws CannotStart. */
export const openAsk = () => {
  const world = realWorld()
  const keys = readClusterKeys(clusterKeyFileOf(process.env))
  return createAskNode(createHops({ key: keys.hops, node: 'cli', world }))
}

/** Where nodes may be, as far as this machine knows it: from options, from its variables and from its folder. */
export const placesOf = ({ node = [] }: Where) => {
  const config = readConfig({ ...process.env, CLUSTER: '0' })
  const { nodes } = filesOf(config.dataDir)
  const url = process.env.NODE_URL || undefined
  const local = urlOfServer(config)
  const places: Place[] = node.map(given => ({ url: originOf(given) }))
  for (const own of [url, local])
    if (own !== undefined)
      places.push({ url: URL.canParse(own) ? new URL(own).origin : own, node: readOwnName(nodes) })
  return { places, told: readSeenNodes(nodes) }
}

/** Keeps this process alive while it works: the timers of nodes do not. */
export const awake = async <T>(work: Promise<T>): Promise<T> => {
  const alive = setInterval(() => {}, 1000)
  return work.finally(() => clearInterval(alive))
}

/** No beats, after so many milliseconds: without a majority of the servers, reading them takes long. */
const none = (ms: number): Promise<Beat[]> =>
  new Promise(resolve => setTimeout(() => resolve([]), ms).unref())

/** The newest beat of each node, the newest first. Empty: nobody tells within a moment. */
const beatsNow = (settings: NatsSettings, timers: Timers): Promise<Beat[]> => {
  const read = lastBeats({ settings, shard: 0, timers, report: () => {}, waitMs: beatsMs })
  return awake(Promise.race([read, none(beatsMs)])).catch(() => [])
}
/** The name of the node that sent the newest beat; undefined: it gives the lease away, or nobody tells. */
export const newestHolder = async (settings: NatsSettings, timers: Timers): Promise<string | undefined> => {
  const [newest] = await beatsNow(settings, timers)
  return newest?.leaving ? undefined : newest?.node
}

/** Looks at everything. Rejects with CannotStart when settings are missing. */
export const see = async (where: Where): Promise<Sight> => {
  const settings = clusterNatsOf(process.env)
  const deps = { ask: openAsk(), now: Date.now }
  const { places, told } = placesOf(where)
  const { timers } = realWorld()
  const [nats, beats] = await Promise.all([
    lookAtServers(settings, 0, monitorUrlsOf(process.env)),
    beatsNow(settings, timers),
  ])
  const named = beats.map(({ node, url }) => ({ node, url, seenAt: 0 }))
  const nodes = await survey(deps, places, [...told, ...named])
  const [holder] = beats
  return { nodes, nats, at: Date.now(), ...(holder && { holder: { node: holder.node, url: holder.url } }) }
}

/** A clock that differs by more than this many milliseconds is a risk: at 30 s, nodes refuse each other's requests. */
const clockMs = 5000

const clockRisks = ({ nodes }: Sight): string[] =>
  nodes
    .filter(node => node.state === 'answers' && Math.abs(node.clockMs ?? 0) > clockMs)
    .map(
      node =>
        `The clock of ${node.node} differs from that of this machine by ${Math.round(Math.abs(node.clockMs ?? 0) / 1000)} s. At 30 s, nodes refuse each other's requests`,
    )

const natsRisks = ({ nats: { servers, streams } }: Sight): string[] => {
  const versions = servers.flatMap(({ version }) => version ?? [])
  const [oldest] = versions.sort((a, b) => a.localeCompare(b, 'en', { numeric: true }))
  if (oldest === undefined) return []
  const count = Math.max(servers.length, ...streams.map(({ copies }) => copies.length))
  return judgementsOf({ version: oldest, count }, [])
    .filter(({ level }) => level === 'warn')
    .map(({ text }) => text)
}

/** What is a risk, although nothing is wrong yet. */
const risksOf = (sight: Sight): string[] => [...clockRisks(sight), ...natsRisks(sight)]

const iso = (ms: number | undefined): string | null => (ms ? new Date(ms).toISOString() : null)

const jsonOf = (sight: Sight): string => {
  const { nodes, nats, at } = sight
  const ofNode = (node: Surveyed) => {
    const { state, why, role, ready, owner, conditions, sequence, position, lag, version, clockMs } = node
    return {
      node: node.node ?? null,
      url: node.url,
      state,
      ...(why === undefined ? {} : { why }),
      role: role ?? null,
      ready: ready ?? false,
      owner: owner ?? null,
      conditions,
      last_sign: iso(node.seenAt),
      sequence: sequence ?? null,
      position: position ?? null,
      behind: behindOf(node, nodes) ?? null,
      read_models_behind: lag ?? null,
      version: version ?? null,
      clock_ms: clockMs === undefined ? null : Math.round(clockMs),
    }
  }
  const problems = findingsOf(sight)
  const streams = nats.streams.map(({ name, leader, isMissing = false, copies, lastSequence, bytes }) => ({
    name,
    missing: isMissing,
    leader: leader ?? null,
    copies: copies.map(({ server, isCurrent, isAway, lag }) => ({
      server,
      current: isCurrent,
      away: isAway,
      lag,
    })),
    records: lastSequence,
    bytes,
  }))
  const { servers } = nats
  return JSON.stringify({
    at: iso(at),
    redundant: problems.length === 0,
    ...{ problems, risks: risksOf(sight) },
    ...{ nodes: nodes.map(ofNode), servers, streams },
  })
}

/** Shows everything once. Resolves to what is wrong, and to whether the reader of the output is still there. */
const showOnce = async (options: Options, printer: ReturnType<typeof openTerminal>) => {
  const sight = await see(options)
  const problems = findingsOf(sight)
  const lines = options.json ? [jsonOf(sight)] : linesOf(sight, risksOf(sight))
  const isBlock = options.watch && !options.json
  const clear = isBlock && process.stdout.isTTY
  if (clear) process.stdout.write('\u001b[H\u001b[2J\u001b[3J')
  const before = isBlock ? [`${new Date(sight.at).toISOString()}, again every 2 s until Ctrl-C`, ''] : []
  const between = isBlock && !clear ? [''] : []
  const shown = lines.map(line => (line === wrongTitle ? printer.paint(line, 'red') : line))
  const isRead = await printer.rows([...before, ...shown, ...between])
  const isDark = sight.nodes.every(({ state }) => state === 'away') && sight.nats.streams.length === 0
  return { problems, isRead, isDark }
}

export const status = async (options: Options): Promise<void> => {
  if (options.watch) process.once('SIGINT', () => process.exit(0)) // this is how a watch ends
  const printer = openTerminal(options)
  while (options.watch) {
    const { isRead } = await showOnce(options, printer)
    if (!isRead) return
    await new Promise(resolve => setTimeout(resolve, watchMs))
  }
  const { problems, isDark } = await showOnce(options, printer)
  if (isDark) throw new NotReached('neither a node nor a NATS server is reached')
  if (problems.length > 0)
    throw new NoAnswer(
      `${plural(problems.length, 'thing')} in this cluster ${problems.length === 1 ? 'is' : 'are'} wrong`,
    )
}
