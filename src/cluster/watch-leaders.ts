// Looks whether a stream stays without a leader although all NATS servers run. While the streams can store records, no server
// is asked.
import type { Timers } from '../contract/ports.ts'
import type { Conditions } from './conditions.ts'
import { leaseStream, shardStream } from './nats/streams.ts'
import { unledStreams, wordsOfUnled } from './nats/unled.ts'
import type { StreamsSeen } from './nats/watch-streams.ts'
import type { ClusterSettings } from './settings.ts'

type Deps = {
  settings: Pick<ClusterSettings, 'monitorUrls'>
  /** What the NATS servers have said a moment ago. */
  seen: () => Pick<StreamsSeen, 'log' | 'lease'>
  conditions: Pick<Conditions, 'begin' | 'end'>
  timers: Timers
}

/** Milliseconds between two looks. */
const lookMs = 5000
/** So many looks may fail before what was seen no longer counts: on a busy machine, a server may answer late. */
const mostFailed = 2

const names = [shardStream(0).name, leaseStream(0).name]

/** Returns a function that ends it. */
export const watchLeaders = ({ settings, seen, conditions, timers }: Deps): (() => void) => {
  let failed = 0
  let isLooking = false
  const look = async (): Promise<void> => {
    const { log, lease } = seen()
    const isWell = log === 'here' && lease === 'here'
    const unled = isWell ? [] : await unledStreams(settings.monitorUrls, names)
    failed = unled === undefined ? failed + 1 : 0
    if (unled !== undefined && unled.length > 0) conditions.begin('no-leader', wordsOfUnled(unled))
    else if (unled !== undefined || failed > mostFailed) conditions.end('no-leader')
  }
  return timers.every(lookMs, () => {
    if (isLooking) return
    isLooking = true
    void look().finally(() => {
      isLooking = false
    })
  })
}
