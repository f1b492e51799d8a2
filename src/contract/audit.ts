// The log as an auditor reads it: every event with the exact texts that its hashes were made of.
import type { Header } from './stored.ts'

/** An event as it is stored: `header` is the text that `leaf` is the hash of, `about` is what that text says. */
export type StoredEvent = {
  position: number
  about: Header
  header: string
  payload: string
  salt: string
  leaf: string
}

export type StreamSummary = {
  stream: string
  /** Of its last event. */
  revision: number
  first_position: number
  last_position: number
  /** Type of its last event. */
  last_type: string
  owner: string
}

/** Everything comes in small pages, each read when it is asked for, up to the head as it was at the first. */
export type AuditTrail = {
  /**
   * Events after a position: of one stream, of one owner, or all; those of one stream or all without holes.
   * Throws DamagedEvent.
   */
  events(
    after: number,
    of: { stream?: string | undefined; owner?: string | undefined },
  ): AsyncIterable<StoredEvent[]>
  /** Streams whose first event stands after a position, in order of creation. Throws DamagedEvent. */
  streams(after: number, owner?: string): AsyncIterable<StreamSummary[]>
  /** Whose stream it is, as far as its first event can say; undefined when there is no such stream. */
  ownerOf(stream: string): string | undefined
}
