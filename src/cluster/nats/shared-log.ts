// A shared log that is a stream of JetStream.
import type { JetStreamManager } from '@nats-io/jetstream'
import type { NatsConnection } from '@nats-io/transport-node'
import type { NatsSettings } from '../../bus/nats-settings.ts'
import { CannotStart } from '../../contract/cannot-start.ts'
import type { Report, Timers } from '../../contract/ports.ts'
import type { SharedLog, SharedRecord } from '../shared-log.ts'
import { createAppender } from './append.ts'
import { createAsk } from './ask.ts'
import { endOfStream, notFound } from './end.ts'
import { createFollow } from './follow.ts'
import { openLink } from './link.ts'
import { mostBytes, openPull, type Pull } from './pull.ts'

export type SharedLogDeps = {
  settings: NatsSettings
  /** The name of the stream, which must exist, and its subject. */
  name: string
  subject: string
  /** How many records the stream keeps, if it drops its oldest ones. */
  maxMessages?: number
  /** Milliseconds to wait for the servers at the start. */
  waitMs?: number
  /** Milliseconds after which an append without an answer is Unknown. */
  appendMs?: number
  timers: Timers
  report: Report
}

const usualWaitMs = 60_000
const usualAppendMs = 5000
/**
 * A record may have nine tenths of the size that a server takes, but at most nine tenths of a mebibyte. The rest is for
 * headers and new fields.
 */
const mebibyte = 1024 * 1024
const share = 0.9

/** Reads the next records up to the sequence `end`, but not many more than `mostBytes`. */
const recordsUpTo = async (end: number, pull: Pull): Promise<SharedRecord[]> => {
  const records: SharedRecord[] = []
  for (let bytes = 0; bytes < mostBytes; ) {
    const more = await pull.next()
    for (const record of more) bytes += record.bytes.length
    records.push(...more.filter(({ sequence }) => sequence <= end))
    if (more.length === 0 || (more.at(-1)?.sequence ?? end) >= end) break
  }
  return records
}

/**
 * Opens the log. Rejects with Unknown when the servers do not answer in time, and with CannotStart when the stream does
 * not exist.
 */
export const openSharedLog = async (deps: SharedLogDeps): Promise<SharedLog> => {
  const { settings, name, subject, timers, report, waitMs = usualWaitMs, appendMs = usualAppendMs } = deps
  const stopping = new AbortController()
  const link = openLink({ settings, timers, report })
  const ask = createAsk({ link, timers, stopping: stopping.signal })
  const tail = () => ask(manager => endOfStream(manager, name))
  const read =
    (after: number, end: number) => async (manager: JetStreamManager, connection: NatsConnection) => {
      const pull = await openPull({ manager, connection, name, timers }, after + 1)
      try {
        return await recordsUpTo(end, pull)
      } finally {
        pull.close()
      }
    }
  const close = async (): Promise<void> => {
    stopping.abort()
    await link.close()
  }

  const most = await ask(async (manager, connection) => {
    const isMissing = await manager.streams.info(name).then(
      () => false,
      error => {
        if (error.code === notFound) return true
        throw error
      },
    )
    return isMissing ? undefined : (connection.info?.max_payload ?? mebibyte)
  }, waitMs).catch(async error => {
    await close()
    throw error
  })
  if (most === undefined) {
    await close()
    throw new CannotStart(
      `the servers at ${settings.shown} have no stream ${name}: create it with "reprise cluster init"`,
    )
  }
  const maxBytes = Math.floor(share * Math.min(most, mebibyte))
  const append = createAppender({ link, name, subject, appendMs, timers, stopping: stopping.signal })
  return {
    maxBytes,
    async append(expected, bytes) {
      if (bytes.length > maxBytes) throw new RangeError(`a record has more than ${maxBytes} bytes`)
      return append(expected, bytes)
    },
    tail,
    async read(after, limit) {
      const end = Math.min(await tail(), after + limit)
      return end <= after ? [] : ask(read(after, end))
    },
    follow: createFollow({
      name,
      drops: deps.maxMessages !== undefined,
      ask,
      timers,
      closing: stopping.signal,
    }),
    close,
  }
}
