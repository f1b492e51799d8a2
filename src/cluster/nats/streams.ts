// The streams of a shard, and the settings that they must have. A shard is a shared log with its lease; there is only
// one.
import type { StreamConfig } from '@nats-io/jetstream'
import { load } from '../../bus/nats/client.ts'

export type ShardStream = {
  name: string
  subject: string
  /** How many records the stream keeps; undefined: all. */
  maxMessages?: number
}

/** The log of a shard. */
export const shardStream = (shard: number): ShardStream => ({
  name: `REPRISE_SHARD_${shard}`,
  subject: `reprise-cluster.shard.${shard}`,
})
/** The beats by which a node says that it holds the lease of a shard. */
export const leaseStream = (shard: number): ShardStream => ({
  name: `REPRISE_LEASE_${shard}`,
  subject: `reprise-cluster.lease.${shard}`,
  maxMessages: 100,
})

/** Copies of a stream on different servers: a majority of three survives the loss of one. */
export const usualCopies = 3

/** The settings of a stream, except for its copies. Nobody can delete a record of a log. */
export const settingsOf = async ({ name, subject, maxMessages }: ShardStream) => {
  const [, { DiscardPolicy, RetentionPolicy, StorageType }] = await load()
  const isLog = maxMessages === undefined
  return {
    name,
    subjects: [subject],
    storage: StorageType.File,
    retention: RetentionPolicy.Limits,
    discard: isLog ? DiscardPolicy.New : DiscardPolicy.Old,
    max_msgs: maxMessages ?? -1,
    max_bytes: -1,
    max_age: 0,
    max_msgs_per_subject: -1,
    max_msg_size: -1,
    no_ack: false,
    deny_delete: isLog,
    deny_purge: isLog,
  }
}

/** What differs, as words: `max_age is 60, not 0`. */
export const differences = (is: StreamConfig, wanted: Partial<StreamConfig>): string[] =>
  Object.entries(wanted).flatMap(([name, value]) => {
    const [there, ours] = [is[name as keyof StreamConfig], value].map(one => JSON.stringify(one ?? false))
    return there === ours ? [] : [`${name} is ${there}, not ${ours}`]
  })
