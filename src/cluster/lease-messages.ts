// The messages between the main thread and the thread of a lease.
import type { NatsSettings } from '../bus/nats/nats-settings.ts'
import type { Report } from '../contract/ports.ts'
import type { LeaseNews } from './seen-beats.ts'

export type LeaseData = {
  settings: NatsSettings
  shard: number
  node: { name: string; url: string }
  beatMs: number
  leaseMs: number
  /** One number: the nanosecond up to which this node holds the lease, on the clock of `process.hrtime`. */
  until: BigInt64Array
}
export type LeaseOrder = { want: boolean } | { release: number } | 'close'
export type LeaseReply =
  | { news: LeaseNews }
  | { released: number }
  | { report: Parameters<Report> }
  /** Whether the servers have answered the newest beat of this node. */
  | { answered: boolean }
  | 'closed'
