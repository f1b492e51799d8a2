// The types of the log as an auditor reads it: every event with the exact texts from which its hashes were made.
import type { Header } from './stored.ts'

/** A text that is too long to be handled at once. `bytes`: its length in UTF-8. */
export type LongText = { bytes: number; pieces(): AsyncIterable<string> }

/**
 * An event as it is stored. `leaf` is the hash of the text `header`; `about` is that text as an object. An erased event
 * has no payload and no salt; `erasedBy` is the position of the event PayloadsErased that covers it.
 */
export type StoredEvent = { position: number; about: Header; header: string; leaf: string } & (
  | { payload: string | LongText; salt: string }
  | { payload: null; salt: null; erasedBy: number }
)

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

/**
 * Reads the log in small pages. Each page is read when the caller asks for it. The last page ends at the position that
 * was the head of the log when the first page was read.
 */
export type AuditTrail = {
  /**
   * Events after a position: of one stream, of one owner, or of the whole log. The events of one stream, and those of
   * the whole log, come without holes. Throws DamagedEvent.
   */
  events(
    after: number,
    of: { stream?: string | undefined; owner?: string | undefined },
  ): AsyncIterable<StoredEvent[]>
  /**
   * Streams whose first event has a position greater than `after`, and less than `before` if it is given, in order of
   * creation or newest first: those of one owner, or of all. `search`: only streams whose name contains this text, in
   * upper or lower case, or whose owner has this name. Throws DamagedEvent.
   */
  streams(
    after: number,
    of: {
      owner?: string | undefined
      search?: string | undefined
      before?: number | undefined
      isNewestFirst?: boolean
    },
  ): AsyncIterable<StreamSummary[]>
  /** The owner of a stream, from its first event; undefined when there is no such stream. */
  ownerOf(stream: string): Promise<string | undefined>
}
