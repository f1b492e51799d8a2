// A log of records that several nodes share: each node reads it, and a node appends to it only behind the record that
// it names. So of two nodes that append at once, one is refused. There are two of them: JetStream (nats/shared-log.ts)
// and memory (memory-log.ts), which also loses, delays and doubts answers for tests.

/** `sequence` counts from 1, without holes. */
export type SharedRecord = { sequence: number; bytes: Uint8Array }

/** Another record stands behind the one that was named: this record is surely not stored. */
export class Fenced extends Error {}

/**
 * The servers did not answer in time. The record may be stored, or may still become stored until another one stands in
 * its place. So before the next append, read to the end and look; a record that then comes late is refused.
 */
export class Unknown extends Error {}

/**
 * The log has lost records that were handed over before: it ends before them, or others stand in their places. This
 * happens when servers had not written them to disk before a power cut.
 */
export class LostTail extends Error {
  /** The last sequence that was handed over. */
  ours: number
  /** The last sequence of the log now. */
  theirs: number
  constructor(ours: number, theirs: number) {
    super(`the shared log has lost records: it ended at ${ours} or later, and ends at ${theirs} now`)
    this.ours = ours
    this.theirs = theirs
  }
}

export type Following = {
  /** Resolves when no further record is handed over. */
  stop(): Promise<void>
}

export type SharedLog = {
  /** The most bytes of a record. */
  maxBytes: number
  /**
   * Appends a record behind the record with the sequence `expected` (0: the log is empty). Resolves when a majority of
   * the servers has stored it. The next append may be called before, with `expected + 1`; it is sent when this one is
   * stored, and when this one fails, it fails with the same error and is surely not stored. Rejects with Fenced or
   * Unknown.
   */
  append(expected: number, bytes: Uint8Array): Promise<void>
  /**
   * The last sequence; 0: there is none. It may be outdated: only an append proves where the end is. Rejects with
   * Unknown when no server answers in time.
   */
  tail(): Promise<number>
  /**
   * Up to `limit` records after a sequence; fewer when they are long. The newest ones may be missing. Rejects with
   * Unknown when no server answers in time.
   */
  read(after: number, limit: number): Promise<SharedRecord[]>
  /**
   * Hands over the records after a sequence, in order, then new ones. The next records come when the promise of
   * `handle` has resolved. It connects again by itself. When `handle` throws, it ends, and `failed` gets the error. It
   * also ends with LostTail, and when records are missing that nobody may delete.
   */
  follow(
    after: number,
    handle: (records: SharedRecord[]) => void | Promise<void>,
    failed: (error: unknown) => void,
  ): Following
  close(): Promise<void>
}
