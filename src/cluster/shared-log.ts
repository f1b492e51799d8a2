// A log of records that several nodes share. Every node reads it. An append names the record behind which it belongs,
// so if two nodes append at once, one of them is refused. There are two implementations: on JetStream
// (nats/shared-log.ts), and in memory (memory-log.ts), which can lose and delay answers for tests.

/** `sequence` counts from 1, without holes. */
export type SharedRecord = { sequence: number; bytes: Uint8Array }

/**
 * Another record stands already behind the record that an append named. The record of this append is surely not stored.
 */
export class Fenced extends Error {}

/**
 * The servers did not answer in time. The record may be stored, or may still become stored as long as no other record
 * stands in its place. So before the next append, read to the end. As soon as another record stands there, the servers
 * refuse this one if it comes late.
 */
export class Unknown extends Error {}

/**
 * The log has lost records that were handed over before: the log ends before them, or other records stand in their
 * places. This happens when servers had not written the records to disk before a power cut.
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
  /** The largest size of a record, in bytes. */
  maxBytes: number
  /**
   * Appends a record behind the record with the sequence `expected` (0: the log is empty). Resolves when a majority of
   * the servers has stored it. The next append, with `expected + 1`, may be called before that. It is sent when this
   * record is stored. When this append fails, the next one fails with the same error, and its record is surely not
   * stored. Rejects with Fenced or Unknown.
   */
  append(expected: number, bytes: Uint8Array): Promise<void>
  /**
   * The last sequence; 0: the log is empty. The answer may be outdated: only an append proves where the end is. Rejects
   * with Unknown when no server answers in time.
   */
  tail(): Promise<number>
  /**
   * Resolves to up to `limit` records after a sequence, and to fewer when they are long. The newest records may be
   * missing. Rejects with Unknown when no server answers in time.
   */
  read(after: number, limit: number): Promise<SharedRecord[]>
  /**
   * Hands over the records after a sequence, in order, then new ones. The next records come when the promise of
   * `handle` has resolved. Following connects again by itself. It ends when `handle` throws, when the log has lost
   * records (LostTail), and when records are missing that nobody may delete. `failed` then gets the error.
   */
  follow(
    after: number,
    handle: (records: SharedRecord[]) => void | Promise<void>,
    failed: (error: unknown) => void,
  ): Following
  close(): Promise<void>
}
