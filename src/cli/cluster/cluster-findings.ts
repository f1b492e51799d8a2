// Says what is wrong with a cluster, for reprise cluster status: everything that takes its redundancy away.
import { type Look, wordsOfServers } from '../../cluster/nats/look-at-servers.ts'
import type { StreamState } from '../../cluster/nats/states.ts'
import { leaseStream, usualCopies } from '../../cluster/nats/streams.ts'
import type { Surveyed } from '../../cluster/survey.ts'
import { called } from '../terminal/called.ts'

export type Sight = {
  nodes: Surveyed[]
  nats: Look
  /** The node that sent the newest beat; absent: it could not be read, or there is none. */
  holder?: { node: string; url: string }
  /** Unix milliseconds. */
  at: number
}

const nameOf = ({ node, url }: Surveyed): string => node ?? url

/** A condition of a node that is a risk, while its cluster still has its redundancy. */
const risk = 'unsynced'
/** A condition of the owner that this command sees by itself when it reaches a NATS server. */
const seenHere = 'server-behind'

const ofNode = (node: Surveyed, seesStreams: boolean): string[] => {
  const name = nameOf(node)
  if (node.state === 'away' && node.node === undefined) return [`${node.url} does not answer: ${node.why}`]
  if (node.state === 'away')
    return [
      `${name} does not answer at ${node.url}: ${node.why}. Start it, or forget it: ${called} cluster forget ${name}`,
    ]
  if (node.state === 'foreign') return [`${node.url}: ${node.why}`]
  const said = node.conditions.filter(({ code }) => code !== risk && !(seesStreams && code === seenHere))
  const words = said.map(({ code, message }) => `${name}: ${message} (${code})`)
  if (node.state === 'refuses') words.unshift(`${name}: ${node.why}`)
  if (node.ready === false && said.length === 0)
    words.push(`${name} is not ready: ${node.fails ?? 'it starts, or it stops'}`)
  return words
}

/** What is wrong with the roles of the nodes. */
const ofRoles = ({ nodes, holder }: Sight): string[] => {
  const owners = nodes.filter(({ role }) => role === 'owner')
  const standby = nodes.find(({ role, ready }) => role === 'standby' && ready)
  const words: string[] = []
  if (owners.length === 0) {
    const last = holder === undefined ? '' : `. The last owner was ${holder.node} (${holder.url})`
    words.push(`no node that answers owns the log: requests wait, and then get 503${last}`)
  }
  if (owners.length > 1)
    words.push(
      `${owners.map(nameOf).join(' and ')} say that they own the log: one of them learns in a moment that it does not`,
    )
  if (standby === undefined) words.push('no standby is ready: if the owner is lost, no node takes over')
  return words
}

const missingAdvice = (name: string): string =>
  name === leaseStream(0).name
    ? `run ${called} cluster init, which makes it again`
    : 'restart no node, and do what docs/cluster.md says below "What to do when"'

const ofStream = ({ name, leader, isMissing, why, copies }: StreamState): string[] => {
  if (isMissing) return [`the stream ${name} is missing: ${missingAdvice(name)}`]
  if (leader === undefined)
    return [
      `the stream ${name} has no leader: ${why ?? 'most of its NATS servers are away or do not reach each other, so no node can write'}`,
    ]
  if (copies.length >= usualCopies) return []
  return [
    `the stream ${name} has ${copies.length} of ${usualCopies} copies: nats stream edit ${name} --replicas=${usualCopies}`,
  ]
}

/** Empty: the cluster could lose a node or a NATS server now, and would go on. */
export const findingsOf = (sight: Sight): string[] => [
  ...(sight.nodes.length > 0
    ? []
    : ['no node is known here: run this on the machine of a node, or give --node URL']),
  ...ofRoles(sight),
  ...sight.nodes.flatMap(node => ofNode(node, sight.nats.streams.length > 0)),
  ...wordsOfServers(sight.nats),
  ...sight.nats.streams.flatMap(ofStream),
]
