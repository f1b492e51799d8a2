// A shared log that is a stream of JetStream.
import type { NatsSettings } from '../../bus/nats/nats-settings.ts'
import { CannotStart } from '../../contract/cannot-start.ts'
import type { Report, Timers } from '../../contract/ports.ts'
import { MissingRecord, noLog, type SharedLog, type SharedRecord } from '../shared-log.ts'
import { createAppender } from './append.ts'
import { createAskNats } from './ask.ts'
import { createCopies, type Flaw } from './copies.ts'
import { endOfStream } from './end.ts'
import { createFollow, unbroken } from './follow.ts'
import { createLeading } from './leading.ts'
import { openLink } from './link.ts'
import { NoCopy } from './no-answer.ts'
import { mostBytes, type Pull } from './pull.ts'

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
  /** Called with all copies that are known to be flawed, when they have changed. */
  flawed?: (flaws: readonly Flaw[]) => void
  timers: Timers
  report: Report
}

const usualWaitMs = 60_000
/** As long as a request waits for an owner: a change of the leader at the servers then costs no request. */
const usualAppendMs = 15_000
/**
 * A record may have nine tenths of the size that a server takes, but at most nine tenths of a mebibyte. The rest is for
 * headers and new fields.
 */
const mebibyte = 1024 * 1024
const share = 0.9

/** Reads the records after a sequence, up to the sequence `end`, but not many more than `mostBytes`. */
const recordsUpTo = async (after: number, end: number, pull: Pull): Promise<SharedRecord[]> => {
  const records: SharedRecord[] = []
  for (let bytes = 0; bytes < mostBytes; ) {
    const more = await pull.next()
    for (const record of more) bytes += record.bytes.length
    records.push(...more.filter(({ sequence }) => sequence <= end))
    if (more.length === 0 || (more.at(-1)?.sequence ?? end) >= end) break
  }
  return records.slice(0, unbroken(records, after))
}

/**
 * Opens the log. Rejects with Unknown when the servers do not answer in time, and with CannotStart when the stream does
 * not exist.
 */
export const openSharedLog = async (deps: SharedLogDeps): Promise<SharedLog> => {
  const { settings, name, subject, timers, report, waitMs = usualWaitMs, appendMs = usualAppendMs } = deps
  const stopping = new AbortController()
  const link = openLink({ settings, timers, report })
  const ask = createAskNats({ link, timers, stopping: stopping.signal })
  const closing = stopping.signal
  const drops = deps.maxMessages !== undefined
  const tail = async () => (await ask(manager => endOfStream(manager, name))) ?? 0
  const copies = createCopies({ name, ask, timers, closing, flawed: deps.flawed })
  /** Reads through one pull after the other, until one brings the next record. */
  const read = async (after: number, end: number): Promise<SharedRecord[]> => {
    for (;;) {
      const pull = await copies.openShort(after + 1).catch(error => {
        if (!(error instanceof NoCopy)) throw error
        const asked = copies.servers()
        copies.forget()
        throw new MissingRecord(after + 1, asked)
      })
      try {
        const records = await recordsUpTo(after, end, pull).catch(() => []) // the pull has ended
        if (records.length > 0 || drops) return records
        if ((await tail()) < end) return [] // the stream has changed meanwhile
        copies.note(pull.server, after + 1)
      } finally {
        pull.close()
      }
    }
  }
  /** The bytes of a record at the server that leads; undefined: it has none. */
  const leadersBytes = (seq: number): Promise<Uint8Array | undefined> =>
    ask(async manager => (await manager.streams.getMessage(name, { seq }))?.data)
  const close = async (): Promise<void> => {
    stopping.abort()
    await link.close()
  }

  const most = await ask(async (manager, connection) => {
    const end = await endOfStream(manager, name)
    return end === undefined ? undefined : (connection.info?.max_payload ?? mebibyte)
  }, waitMs).catch(async error => {
    await close()
    throw error
  })
  if (most === undefined) {
    await close()
    throw new CannotStart(`the servers at ${settings.shown} have no stream ${name}. ${noLog}`)
  }
  const maxBytes = Math.floor(share * Math.min(most, mebibyte))
  const append = createAppender({
    ...{ link, name, subject, appendMs, timers },
    recordAt: leadersBytes,
    stopping: closing,
  })
  return {
    maxBytes,
    async append(expected, bytes) {
      if (bytes.length > maxBytes) throw new RangeError(`a record has more than ${maxBytes} bytes`)
      return append(expected, bytes)
    },
    tail,
    async read(after, limit) {
      const end = Math.min(await tail(), after + limit)
      return end <= after ? [] : read(after, end)
    },
    async leadersRecord(sequence) {
      const bytes = await leadersBytes(sequence)
      return bytes && { sequence, bytes }
    },
    async distrust({ sequence, server = '' }) {
      copies.note(server, sequence)
      const other = await copies.openShort(sequence).catch(() => undefined)
      other?.close()
      if (other === undefined) copies.forget()
      return other !== undefined
    },
    leadByLongest: createLeading({ name, ask, copies, timers, closing }),
    follow: createFollow({ name, drops, ask, copies, timers, closing }),
    close,
  }
}
