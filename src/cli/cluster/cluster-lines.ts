// Writes what reprise cluster status prints: tables that fit on 100 columns.
import type { Look } from '../../cluster/nats/look-at-servers.ts'
import type { StreamState } from '../../cluster/nats/states.ts'
import type { Surveyed } from '../../cluster/survey.ts'
import { tableOf } from '../terminal/table.ts'
import { findingsOf, type Sight } from './cluster-findings.ts'

const columns = 100
export const wrongTitle = 'What is wrong:'

/** Lines of at most 100 columns. Those behind the first one are indented. */
const wrapped = (text: string): string[] => {
  const lines = ['']
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? ''
    if (line.length + 1 + word.length <= columns)
      lines[lines.length - 1] = line === '' ? word : `${line} ${word}`
    else lines.push(`  ${word}`)
  }
  return lines
}

const units: [seconds: number, name: string][] = [
  [86_400, 'd'],
  [3600, 'h'],
  [60, 'min'],
  [1, 's'],
]
const agoOf = (ms: number): string => {
  const seconds = Math.max(0, Math.round(ms / 1000))
  const [size, name] = units.find(([each]) => seconds >= each) ?? [1, 's']
  return `${Math.floor(seconds / size)} ${name} ago`
}

const signOf = ({ state, seenAt }: Surveyed, at: number): string => {
  if (state === 'answers' || state === 'refuses') return 'now'
  if (seenAt === undefined || state === 'foreign') return '-'
  return seenAt === 0 ? 'unknown' : agoOf(at - seenAt)
}
const clockOf = ({ clockMs }: Surveyed): string => {
  if (clockMs === undefined) return '-'
  const seconds = (clockMs / 1000).toFixed(1)
  return /^-?0\.0$/.test(seconds) ? '0.0 s' : `${clockMs > 0 ? '+' : ''}${seconds} s`
}
const roleOf = ({ state, role }: Surveyed): string => role ?? (state === 'foreign' ? 'no node' : 'away')

/** By how many records, or else positions, a node is behind the owner. */
export const behindOf = (node: Surveyed, nodes: readonly Surveyed[]): number | undefined => {
  const owner = nodes.find(({ role }) => role === 'owner')
  if (owner === undefined || node.role === undefined || node === owner) return undefined
  if (owner.sequence !== undefined && node.sequence !== undefined)
    return Math.max(0, owner.sequence - node.sequence)
  if (owner.position === undefined || node.position === undefined) return undefined
  return Math.max(0, owner.position - node.position)
}

const numberOf = (value: number | undefined): string => (value === undefined ? '-' : String(value))

const nodeTable = ({ nodes, at }: Sight): string[] =>
  tableOf([
    ['NODE', 'ROLE', 'READY', 'LAST SIGN', 'POSITION', 'BEHIND', 'CLOCK', 'VERSION', 'URL'],
    ...nodes.map(node => [
      node.node ?? '?',
      roleOf(node),
      node.ready === undefined ? '-' : node.ready ? 'yes' : 'no',
      signOf(node, at),
      numberOf(node.position),
      numberOf(behindOf(node, nodes)),
      clockOf(node),
      node.version ?? '-',
      node.url,
    ]),
  ])

const copyAt = ({ leader, copies }: StreamState, server: string): string => {
  if (server === leader) return 'leader'
  const copy = copies.find(one => one.server === server)
  if (copy === undefined) return '-'
  if (copy.isAway) return 'away'
  if (leader === undefined) return '?'
  return copy.isCurrent ? 'current' : copy.lag > 0 ? `${copy.lag} behind` : 'not heard'
}

const serverTable = ({ servers, streams }: Look): string[] => {
  const inStreams = streams.flatMap(({ copies }) => copies.map(({ server }) => server))
  const named = new Set(servers.map(({ name }) => name))
  const others = [...new Set(inStreams)].filter(name => !named.has(name))
  const row = (name: string, url: string, version: string) => [
    name,
    url,
    version,
    ...streams.map(stream => copyAt(stream, name)),
  ]
  return tableOf([
    ['NATS SERVER', 'URL', 'VERSION', ...streams.map(({ name }) => name)],
    ...servers.map(({ name, url, version }) => row(name ?? '?', url, version ?? 'not reached')),
    ...others.map(name => row(name, '?', '?')),
  ])
}

const megabytes = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(1)} MiB`

const streamTable = (streams: StreamState[]): string[] =>
  tableOf([
    ['STREAM', 'LEADER', 'COPIES', 'RECORDS', 'ON DISK, EACH COPY'],
    ...streams.map(({ name, leader, isMissing, copies, lastSequence, bytes }) =>
      leader === undefined
        ? [name, isMissing ? 'missing' : 'none', '-', '-', '-']
        : [name, leader, String(copies.length), String(lastSequence), megabytes(bytes)],
    ),
  ])

/** Everything that an operator should see, as lines. `risks`: what is no fault yet. */
export const linesOf = (sight: Sight, risks: readonly string[]): string[] => {
  const findings = findingsOf(sight)
  const { servers, streams } = sight.nats
  const list = (title: string, texts: readonly string[]): string[] =>
    texts.length === 0 ? [] : ['', title, ...texts.flatMap(text => wrapped(`- ${text}`))]
  return [
    ...nodeTable(sight),
    '',
    ...serverTable(sight.nats),
    ...(streams.length === 0 ? [] : ['', ...streamTable(streams)]),
    ...(servers.every(({ error }) => error !== undefined)
      ? ['', 'The streams cannot be seen: no NATS server is reached']
      : []),
    ...list(wrongTitle, findings),
    ...list('What is a risk:', risks),
    ...(findings.length === 0
      ? ['', 'A node or a NATS server can be lost now, and the cluster goes on.']
      : []),
  ]
}
