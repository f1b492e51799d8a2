// The state of a stream, as an operator sees it.
import type { StreamInfo } from '@nats-io/jetstream'

export type StreamCopy = {
  server: string
  /** Whether the copy has every record. */
  isCurrent: boolean
  isAway: boolean
  /** How many records the copy lacks. */
  lag: number
}
export type StreamState = {
  name: string
  /** The server that takes records; undefined: there is none at the moment, so the rest is unknown. */
  leader: string | undefined
  /** Whether the stream does not exist. */
  isMissing?: true
  /** Why the servers say nothing about the stream; absent: it has a leader, or most servers are away. */
  why?: string
  /** The copies of the stream, that of the leader first. */
  copies: StreamCopy[]
  lastSequence: number
  bytes: number
}

/** A copy whose server has given its leader no sign for this many nanoseconds is away. Usually it gives one each second. */
const silentNs = 5_000_000_000

export const stateOf = ({ config, state, cluster }: StreamInfo, server: string): StreamState => {
  // A server that has no cluster leads all its streams, but its answer does not say so.
  const leader = cluster === undefined ? server : cluster.leader || undefined
  const first = leader === undefined ? [] : [{ server: leader, isCurrent: true, isAway: false, lag: 0 }]
  const others = (cluster?.replicas ?? []).map(({ name, current, offline = false, active, lag = 0 }) => ({
    server: name,
    isCurrent: current,
    isAway: offline || active >= silentNs,
    lag,
  }))
  return {
    name: config.name,
    leader,
    copies: [...first, ...others],
    lastSequence: state.last_seq,
    bytes: state.bytes,
  }
}

const nothing = { leader: undefined, copies: [], lastSequence: 0, bytes: 0 }
export const withoutLeader = (name: string, why?: string): StreamState => ({
  name,
  ...nothing,
  ...(why === undefined ? {} : { why }),
})
export const missing = (name: string): StreamState => ({ name, ...nothing, isMissing: true })
