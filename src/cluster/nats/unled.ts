// Finds out at the monitoring addresses whether all NATS servers run and reach each other, and a stream has no leader all the
// same. This happens when most servers have lost the snapshot of what they know of all streams, and go on with the end of that
// log alone: they drop their copies, and the server that still has one never gets a majority. No restart ends it.
//
// The JetStream API cannot tell: it says that there is no leader, as without a majority, or that there is no such stream, as
// when somebody has deleted it. It depends on which server answers.
import { isLedBy, type Jsz, readFrom, streamsIn, streamsPath } from './monitors.ts'

/**
 * A stream without a leader. `kept`, `lacking`: the names of the servers that have a copy of it, and that have none. `isLost`:
 * most of its copies are gone, so that it never gets a leader.
 */
export type Unled = { stream: string; kept: string[]; lacking: string[]; isLost: boolean }

type Route = { remote_name?: string; idle?: string }
type Asked = { server: string; jsz: Jsz; reached: Set<string> }

/** Over a way between two servers, something comes every few seconds. Such as `9s`, `1m20s` or `1h0m2s`. */
const isLive = ({ idle = '' }: Route): boolean => /^\d+s$/.test(idle) && Number.parseInt(idle, 10) < 20

const ask = async (url: string): Promise<Asked> => {
  const [{ server_name: server = '', routes = [] }, jsz] = await Promise.all([
    readFrom<{ server_name?: string; routes?: Route[] }>(url, '/routez'),
    readFrom<Jsz>(url, streamsPath),
  ])
  const reached = routes.filter(isLive).flatMap(({ remote_name: name }) => name ?? [])
  return { server, jsz, reached: new Set(reached) }
}

const reachAll = (servers: readonly Asked[]): boolean =>
  servers.every(({ reached, server }) =>
    servers.every(other => other.server === server || reached.has(other.server)),
  )

/**
 * Those of the streams that have copies and no leader, although all servers run and reach each other. Undefined: a server does
 * not answer or does not reach another one, or the addresses are not those of several servers. One reading may fall into a
 * change of the leader.
 */
export const unledStreams = async (
  urls: readonly string[],
  names: readonly string[],
): Promise<Unled[] | undefined> => {
  const servers = await Promise.all(urls.map(ask)).catch(() => [])
  if (new Set(servers.map(({ server }) => server)).size < 2 || !reachAll(servers)) return undefined
  return names.flatMap(stream => {
    const found = servers.map(({ server, jsz }) => ({
      server,
      copy: streamsIn(jsz).find(({ name }) => name === stream),
    }))
    const namesOf = (has: boolean) =>
      found.filter(({ copy }) => (copy !== undefined) === has).map(({ server }) => server)
    const isLed = found.some(({ server, copy }) => copy !== undefined && isLedBy(server, copy))
    const kept = namesOf(true)
    const copies = Math.max(0, ...found.map(({ copy }) => copy?.config?.num_replicas ?? 0))
    const isLost = kept.length * 2 <= copies
    return isLed || kept.length === 0 ? [] : [{ stream, kept, lacking: namesOf(false), isLost }]
  })
}

const listed = (names: readonly string[]): string => names.join(' and ')

/** What is wrong with one of these streams, behind its name. */
export const whyUnled = ({ kept, lacking, isLost }: Unled): string => {
  const copies = isLost
    ? `${listed(lacking)} ${lacking.length === 1 ? 'has' : 'have'} no copy of it`
    : `${listed(kept)} have copies of it`
  return `all NATS servers run and reach each other, and ${copies}`
}

const emptyStores =
  'Leave the nodes as they are: nothing is lost while one of them has its log. Stop all NATS servers, move the store folder of each aside, and start them. Then run "reprise cluster init --again" on the machine of the owner'
const isForEver = 'Most servers have lost what they knew of it, and another start of them does not help'
const mayPass =
  'Look whether their machines are overloaded, and into their logs, and start one after the other again. If that does not help, empty them'

/** What is wrong, and what to do. */
export const wordsOfUnled = (unled: readonly Unled[]): string => {
  const words = unled.map(one => `the stream ${one.stream} has no leader, although ${whyUnled(one)}`)
  const why = unled.some(({ isLost }) => isLost) ? isForEver : mayPass
  return `${words.join('; ')}. ${why}. ${emptyStores}`
}
