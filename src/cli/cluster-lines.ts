// Writes the lines that reprise cluster status prints.
import type { StreamState } from '../cluster/nats/states.ts'
import type { Surveyed } from '../cluster/survey.ts'

export const lineOfNode = (node: Surveyed): string => {
  if ('error' in node) return `${node.url}  not reached: ${node.error}`
  const { role, url, sequence, lag, owner } = node
  const behind = lag > 0 ? `  ${lag} behind` : ''
  const whose = role === 'standby' ? `  owner ${owner ?? 'unknown'}` : ''
  return `${node.node}  ${role.padEnd(7)}  ${url}  record ${sequence}${behind}${whose}`
}

export const lineOfStream = ({ name, leader, copies, lastSequence, bytes }: StreamState): string => {
  const wordsOf = ({ server, isAway, isCurrent, lag }: StreamState['copies'][number]) =>
    isAway ? `${server} (away)` : isCurrent ? server : `${server} (${lag} behind)`
  return `${name}  leader ${leader ?? 'none'}  on ${copies.map(wordsOf).join(', ') || '?'}  record ${lastSequence}  ${(bytes / 2 ** 20).toFixed(1)} MiB`
}
