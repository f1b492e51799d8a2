// Says what an operator risks with the servers of the shared log.
import type { AskedServer, CopyState } from './monitors.ts'
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

const told = (one: AskedServer): one is CopyState => !('error' in one)

/** Whether most of the servers have told about themselves. */
export const haveTold = (servers: readonly AskedServer[]): boolean =>
  servers.filter(told).length * 2 > servers.length

/**
 * Why the servers may lose confirmed records when most of them lose power, and what to do; undefined: those that have
 * told about themselves do not. A server that is away is judged when it is back.
 */
export const unsafetyOf = (servers: readonly AskedServer[]): string | undefined => {
  const there = servers.filter(told)
  const names = (those: CopyState[]) => [...new Set(those.map(({ server }) => server))].join(', ')
  const old = there.filter(({ version }) => isOlder(version))
  const lazy = there.filter(({ version, syncAlways }) => syncAlways !== true && !isOlder(version))
  const known = new Set(there.map(({ server }) => server)).size + servers.length - there.length
  const copies = Math.max(0, ...there.map(one => one.copies))
  const found = [
    old.length > 0 && `use version 2.12 or later on ${names(old)} (now ${old[0]?.version})`,
    lazy.length > 0 && `set "sync_interval: always" in the block "jetstream" of ${names(lazy)}`,
    known < copies && `name all ${copies} servers in NATS_MONITOR_URLS, which names ${known}`,
  ].filter(words => words !== false)
  if (found.length === 0) return undefined
  return `the NATS servers may lose confirmed records when most of them lose power: ${found.join('; ')}`
}

export const judgementsOf = ({ version, count }: Servers, streams: readonly StreamState[]): Judgement[] => {
  const judgements: Judgement[] = [
    isOlder(version)
      ? {
          level: 'warn',
          text: `The NATS servers have version ${version}. Use 2.12 or later with "sync_interval: always". ${powerCut}`,
        }
      : {
          level: 'info',
          text: `Set "sync_interval: always" on each NATS server: a node checks it when it starts, and every minute. ${powerCut}`,
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
