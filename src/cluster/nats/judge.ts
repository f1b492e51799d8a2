// Says what an operator risks with the servers of the shared log.
import type { StreamState } from './states.ts'
import { usualCopies } from './streams.ts'

export type Judgement = { level: 'info' | 'warn'; text: string }
type Servers = { version: string; count: number }

/** From this version on, a server keeps a stream safely when it writes each record to disk at once. */
const safeVersion = [2, 12] as const

const isOlder = (version: string): boolean => {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major < safeVersion[0] || (major === safeVersion[0] && minor < safeVersion[1])
}

const powerCut =
  'Without it, a server confirms records that it writes to disk later: when most servers lose power at once, the ' +
  'newest records are lost. Reprise then notices it, and a node that has them brings them back'

export const judgementsOf = ({ version, count }: Servers, streams: readonly StreamState[]): Judgement[] => {
  const judgements: Judgement[] = [
    isOlder(version)
      ? {
          level: 'warn',
          text: `The NATS servers have version ${version}. Use 2.12 or later with "sync_interval: always". ${powerCut}`,
        }
      : {
          level: 'info',
          text: `Set "sync_interval: always" on each NATS server, which cannot be seen from here. ${powerCut}`,
        },
  ]
  if (count < usualCopies) {
    const text = `There ${count === 1 ? 'is one NATS server' : `are ${count} NATS servers`}. Use three: without them, no node can write while one server is away`
    judgements.push({ level: 'warn', text })
  }
  for (const { name, leader, copies } of streams) {
    if (leader === undefined) {
      const text = `The stream ${name} has no leader now: no node can write until most of its servers run and reach each other`
      judgements.push({ level: 'warn', text })
      continue
    }
    if (copies.length < usualCopies) {
      const text = `The stream ${name} has ${copies.length} of ${usualCopies} copies. With three servers, run: nats stream edit ${name} --replicas=3`
      judgements.push({ level: 'warn', text })
    }
    const away = copies.filter(({ isAway }) => isAway).map(({ server }) => server)
    if (away.length > 0)
      judgements.push({
        level: 'warn',
        text: `The stream ${name} has a copy on ${away.join(', ')}, away now`,
      })
  }
  return judgements
}
