// The log for an auditor: every event with the exact texts from which its hashes were made.
import type { Header } from './stored.ts'

/** An event as it is stored. `leaf` is the hash of the text `header`; `about` is that text as an object. */
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
  /** The revision of the last event. */
  revision: number
  first_position: number
  last_position: number
  /** The type of the last event. */
  last_type: string
  owner: string
}

/** Reads in small pages, each when the caller asks for it, up to the head of the log at the first page. */
export type AuditTrail = {
  /**
   * Events after a position: of one stream, of one owner, or all. Those of one stream, and all of them, come without
   * holes. Throws DamagedEvent.
   */
  events(
    after: number,
    of: { stream?: string | undefined; owner?: string | undefined },
  ): AsyncIterable<StoredEvent[]>
  /** Streams whose first event has a position after this one, in order of creation. Throws DamagedEvent. */
  streams(after: number, owner?: string): AsyncIterable<StreamSummary[]>
  /** The owner of a stream, from its first event; undefined when there is no such stream. */
  ownerOf(stream: string): string | undefined
}
